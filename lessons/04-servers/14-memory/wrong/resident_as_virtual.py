"""Wrong: a task is said to have reserved no more than it has in memory."""

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


def main() -> dict[str, tuple[float, float]]:
    return {"thread": per_thread(), "task": asyncio.run(per_task())}


if __name__ == "__main__":
    print(main())
