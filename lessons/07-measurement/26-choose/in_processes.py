"""Forty jobs each wait and compute: how long do they take in a few processes?

Predict it before you run it:  python in_processes.py
"""

import asyncio
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

JOBS = 40
JOB_MS = 50
IO_SHARE = 90
PROCESSES = 2


def wait(ms: float) -> None:
    """Wait for something else: a database, a disk, another service."""
    time.sleep(ms / 1000)


def compute(ms: float) -> None:
    """Use this much processor time, however many others want the processor too."""
    end_s = time.thread_time() + ms / 1000
    while time.thread_time() < end_s:
        pass


def work(waits_ms: float, computes_ms: float) -> None:
    wait(waits_ms)
    compute(computes_ms)


async def job(n: int, waits_ms: float, computes_ms: float, pool: ProcessPoolExecutor) -> int:
    await asyncio.get_running_loop().run_in_executor(pool, work, waits_ms, computes_ms)
    return n


async def main(pool: ProcessPoolExecutor) -> None:
    waits_ms = JOB_MS * IO_SHARE / 100
    parts = (waits_ms, JOB_MS - waits_ms)
    done = await asyncio.gather(*(job(n, *parts, pool) for n in range(JOBS)))
    print(f"{len(done)} jobs are done")


if __name__ == "__main__":
    # Outside the event loop, because leaving this block waits for the processes to end.
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as executor:
        asyncio.run(main(executor))
