"""Right: the pool is a global, set behind the guard; gather and partial instead of a group."""

import asyncio
import functools
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


pools: list[ProcessPoolExecutor] = []


async def answer(n: int) -> int:
    """Answer one request: each has a different limit."""
    count = functools.partial(primes_below, LIMIT // n)
    return await asyncio.get_running_loop().run_in_executor(pools[0], count)


async def heart() -> None:
    """Everything else on this event loop. Leave this function as it is."""
    while True:
        await asyncio.sleep(BEAT_S)


async def main() -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    answers = await asyncio.gather(*map(answer, range(1, REQUESTS + 1)))
    beating.cancel()
    return answers


if __name__ == "__main__":
    pools.append(ProcessPoolExecutor(max_workers=WORKERS, mp_context=get_context("spawn")))
    print(asyncio.run(main()))
    pools[0].shutdown()
