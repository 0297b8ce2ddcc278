"""Right: the waiters are threads of a pool."""

import asyncio
import mmap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

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


def sizes() -> tuple[float, float]:
    info = psutil.Process().memory_info()
    return info.rss / 1024, info.vms / 1024


def per_thread() -> tuple[float, float]:
    gate = threading.Event()
    time.sleep(HOLD_S)
    before = sizes()
    pool = ThreadPoolExecutor(THREADS)
    for _ in range(THREADS):
        pool.submit(wait_in_thread, gate)
    time.sleep(HOLD_S)
    during = sizes()
    gate.set()
    pool.shutdown()
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


def main() -> dict[str, tuple[float, float]]:
    return {"thread": per_thread(), "task": asyncio.run(per_task())}


if __name__ == "__main__":
    print(main())
