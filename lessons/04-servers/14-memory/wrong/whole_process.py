"""Shares out all that the process has, with what it had before there were any waiters.

Breaks: the process grows
Fault: that is the size of the whole process, shared out among the waiters
"""


def per_thread() -> tuple[float, float]:
    """The two sleeps let the check look at the process from outside. Leave them in."""
    gate = threading.Event()
    waiters = [threading.Thread(target=wait_in_thread, args=(gate,)) for _ in range(THREADS)]
    time.sleep(HOLD_S)
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    during = psutil.Process().memory_info()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return during.rss / 1024 / THREADS, during.vms / 1024 / THREADS


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        during = psutil.Process().memory_info()
        gate.set()
    return during.rss / 1024 / TASKS, during.vms / 1024 / TASKS
