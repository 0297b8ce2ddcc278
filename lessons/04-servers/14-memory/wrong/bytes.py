"""Bytes instead of KiB.

Breaks: Fix it: per_thread and per_task each return two numbers, the KiB by which
Fault: that is the growth in bytes
"""


def per_thread() -> tuple[float, float]:
    """The two sleeps let the check look at the process from outside. Leave them in."""
    gate = threading.Event()
    waiters = [threading.Thread(target=wait_in_thread, args=(gate,)) for _ in range(THREADS)]
    time.sleep(HOLD_S)
    before = psutil.Process().memory_info()
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    during = psutil.Process().memory_info()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return (during.rss - before.rss) / THREADS, (during.vms - before.vms) / THREADS


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    before = psutil.Process().memory_info()
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        during = psutil.Process().memory_info()
        gate.set()
    return (during.rss - before.rss) / TASKS, (during.vms - before.vms) / TASKS
