"""There are two kinds of jobs: many wait, some compute. Choose a model for each, and keep within two budgets.

Each fetch runs in this process, and each sum in another one. Nothing may block an event loop.

Run it alone with:  python 26-choose.py
"""

import asyncio
import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

FETCHES = 96
FETCH_MS = 300
KEEPS_MIB = 5
SUMS = 6
SQUARES = 600_000
PROCESSES = 8

Done = tuple[str, int, int, int, float]  # kind of job, number, result, process, when it was done


def fetch(n: int, ms: int, keeps_mib: int) -> Done:
    """Wait for another service, and keep some memory. Leave this one and the next two as they are."""
    kept = b"." * (keeps_mib << 20)
    time.sleep(ms / 1000)
    return "fetch", n, n * len(kept), os.getpid(), time.monotonic()


async def fetch_async(n: int, ms: int, keeps_mib: int) -> Done:
    kept = b"." * (keeps_mib << 20)
    await asyncio.sleep(ms / 1000)
    return "fetch", n, n * len(kept), os.getpid(), time.monotonic()


def add_up(n: int, squares: int) -> Done:
    return "sum", n, sum(i * i % (1009 + n) for i in range(squares)), os.getpid(), time.monotonic()


def reference(fetches: range, sums: range) -> list[Done]:
    """Do all jobs in one pool of processes. Leave it as it is: yours is compared with it."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        jobs += [pool.submit(fetch, n, FETCH_MS, KEEPS_MIB) for n in fetches]
    time.sleep(0.3)  # so that the memory is measured without these processes
    return [job.result() for job in jobs]


async def fetch_all(fetches: range) -> list[Done]:
    # TODO: if you use this: how many may run at the same time?
    return await asyncio.gather(*(fetch_async(n, FETCH_MS, KEEPS_MIB) for n in fetches))


def chosen(fetches: range, sums: range) -> list[Done]:
    """Do all jobs; return them in any order. At most 0.6 of the reference's p99, and 0.7 of its memory."""
    with ThreadPoolExecutor(len(fetches) + len(sums)) as pool:  # TODO: which model for which jobs?
        jobs = [pool.submit(add_up, n, SQUARES) for n in sums]
        jobs += [pool.submit(fetch, n, FETCH_MS, KEEPS_MIB) for n in fetches]
    return [job.result() for job in jobs]


def main() -> list[tuple[float, list[Done]]]:
    return [(time.monotonic(), model(range(FETCHES), range(SUMS))) for model in (reference, chosen)]


if __name__ == "__main__":
    main()
