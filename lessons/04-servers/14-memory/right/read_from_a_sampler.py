"""Right: another thread looks at the process all the time; the sizes are differences between its looks."""

import asyncio
import mmap
import threading
import time

import psutil

THREADS = 200
TASKS = 500
KEEPS_KIB = 16
RESERVES_KIB = 64
HOLD_S = 0.5

looks: list[tuple[int, int]] = []


def look_all_the_time() -> None:
    process = psutil.Process()
    while True:
        size = process.memory_info()
        looks.append((size.rss, size.vms))
        time.sleep(0.01)


def wait_in_thread(gate: threading.Event) -> None:
    """Leave this function as it is, and the next one."""
    kept = b"." * (KEEPS_KIB * 1024)
    gate.wait()
    del kept


async def wait_in_task(gate: asyncio.Event) -> None:
    kept = b"." * (KEEPS_KIB * 1024)
    spare = mmap.mmap(-1, RESERVES_KIB * 1024)  # reserved, and never used
    await gate.wait()
    del kept, spare


def shared_out(first: int, last: int, waiters: int) -> tuple[float, float]:
    (resident, virtual), (more_resident, more_virtual) = looks[first], looks[last]
    return (more_resident - resident) / 1024 / waiters, (more_virtual - virtual) / 1024 / waiters


def per_thread() -> tuple[float, float]:
    """The two sleeps let the check look at the process from outside. Leave them in."""
    gate = threading.Event()
    waiters = [threading.Thread(target=wait_in_thread, args=(gate,)) for _ in range(THREADS)]
    time.sleep(HOLD_S)
    first = len(looks) - 1
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    last = len(looks) - 1
    gate.set()
    for waiter in waiters:
        waiter.join()
    return shared_out(first, last, THREADS)


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    first = len(looks) - 1
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        last = len(looks) - 1
        gate.set()
    return shared_out(first, last, TASKS)


def main() -> dict[str, tuple[float, float]]:
    threading.Thread(target=look_all_the_time, daemon=True).start()
    return {"thread": per_thread(), "task": asyncio.run(per_task())}


if __name__ == "__main__":
    print(main())
