"""The most that the process ever had in memory. Also before, and for something else.

Breaks: the process grows
Fault: in memory (resident) for each of its 200 waiters
"""

import resource


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


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
    return peak_kib() / THREADS, (during.vms - before.vms) / 1024 / THREADS


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
    return peak_kib() / TASKS, (during.vms - before.vms) / 1024 / TASKS
