"""Right: what only this process has in memory. Waiters share nothing with other processes."""

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
    before = psutil.Process().memory_full_info()
    for waiter in waiters:
        waiter.start()
    time.sleep(HOLD_S)
    during = psutil.Process().memory_full_info()
    gate.set()
    for waiter in waiters:
        waiter.join()
    return (during.uss - before.uss) / 1024 / THREADS, (during.vms - before.vms) / 1024 / THREADS


async def per_task() -> tuple[float, float]:
    gate = asyncio.Event()
    await asyncio.sleep(HOLD_S)
    before = psutil.Process().memory_full_info()
    async with asyncio.TaskGroup() as group:
        for _ in range(TASKS):
            group.create_task(wait_in_task(gate))
        await asyncio.sleep(HOLD_S)
        during = psutil.Process().memory_full_info()
        gate.set()
    return (during.uss - before.uss) / 1024 / TASKS, (during.vms - before.vms) / 1024 / TASKS


def main() -> dict[str, tuple[float, float]]:
    return {"thread": per_thread(), "task": asyncio.run(per_task())}


if __name__ == "__main__":
    print(main())
