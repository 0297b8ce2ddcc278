"""Compares the tasks with the process as it was before the threads, which have left something.

Breaks: the process grows
Fault: for each of its 500 waiters, as seen from outside
"""

AT_FIRST = psutil.Process().memory_info()


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    before = AT_FIRST
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        during = psutil.Process().memory_info()
        gate.set()
    return (during.rss - before.rss) / 1024 / TASKS, (during.vms - before.vms) / 1024 / TASKS
