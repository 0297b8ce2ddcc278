"""The waiters drop what they keep before they wait, so there is less to measure.

Breaks: Leave this function as it is, and the next one.
Fault: Leave the function as it is
"""


def wait_in_thread(gate: threading.Event) -> None:
    """Leave this function as it is, and the next one."""
    kept = b"." * (KEEPS_KIB * 1024)
    del kept
    gate.wait()


async def wait_in_task(gate: asyncio.Event) -> None:
    kept = b"." * (KEEPS_KIB * 1024)
    spare = mmap.mmap(-1, RESERVES_KIB * 1024)  # reserved, and never used
    del kept, spare
    await gate.wait()


def sizes() -> tuple[float, float]:
    info = psutil.Process().memory_info()
    return info.rss / 1024, info.vms / 1024


def per_thread() -> tuple[float, float]:
    gate = threading.Event()
    waiters = [threading.Thread(target=wait_in_thread, args=(gate,)) for _ in range(THREADS)]
    time.sleep(HOLD_S)
    before = sizes()
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    during = sizes()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return (during[0] - before[0]) / THREADS, (during[1] - before[1]) / THREADS


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    before = sizes()
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        during = sizes()
        gate.set()
    return (during[0] - before[0]) / TASKS, (during[1] - before[1]) / TASKS
