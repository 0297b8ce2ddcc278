"""Requests to count primes, and a heart beside them. Each count is made in a thread. So the heart beats on,
but all the threads of a program share one interpreter, and compute one at a time.

Have the counting done by WORKERS processes instead: in one pool, made once, that all requests share. All
requests are still open at once, the event loop stays free, and the answers stay the same.

Run it alone with:  python exercise.py
"""

import asyncio
from math import isqrt

REQUESTS = 6
WORKERS = 3
LIMIT = 90_000
BEAT_S = 0.02


def primes_below(limit: int) -> int:
    """How many primes are smaller than this. It only computes. Leave this function as it is."""
    return sum(all(n % d for d in range(2, isqrt(n) + 1)) for n in range(2, limit))


async def answer(n: int) -> int:
    """Answer one request: each asks for a limit of its own."""
    # TODO: have a process of the pool do the counting
    return await asyncio.to_thread(primes_below, LIMIT + 100 * n)


async def heart() -> None:
    """All else that lives on this event loop. Leave this function as it is."""
    while True:
        await asyncio.sleep(BEAT_S)


async def main() -> list[int]:
    """Answer all requests at once; the answers, in order."""
    # TODO: how does each request get at the pool?
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    # TODO: make the pool here, and give it to main
    print(asyncio.run(main()))
