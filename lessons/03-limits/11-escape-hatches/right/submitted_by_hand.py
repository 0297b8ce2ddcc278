"""Right: the pool gives its own future, which is wrapped to be awaited."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from math import isqrt
from multiprocessing import get_context

REQUESTS = 6
WORKERS = 3
LIMIT = 120_000
BEAT_S = 0.02


def primes_below(limit: int) -> int:
    """Count the primes below limit. This only computes. Leave this function as it is."""
    return sum(all(n % d for d in range(2, isqrt(n) + 1)) for n in range(2, limit))


async def answer(n: int, pool: ProcessPoolExecutor) -> int:
    """Answer one request: each has a different limit."""
    return await asyncio.wrap_future(pool.submit(primes_below, LIMIT // n))


async def heart() -> None:
    """Everything else on this event loop. Leave this function as it is."""
    while True:
        await asyncio.sleep(BEAT_S)


async def main(pool: ProcessPoolExecutor) -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n, pool)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        print(asyncio.run(main(pool)))
