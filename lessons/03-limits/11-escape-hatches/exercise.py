"""A program answers requests to count primes, next to a heart. Threads do the counting, so the heart keeps
beating. But all threads of a program share one interpreter, and they compute one at a time.

Let processes do the counting: all requests share one ProcessPoolExecutor with WORKERS workers, and each
request gives it one piece of work. All requests are still open at the same time, and all workers are in use.
The event loop goes on while the workers compute, and the heart beats until the last answer. The answers stay
the same. Closing the pool may be left to the end of the program.

Run it alone with:  python 11-escape-hatches.py
"""

import asyncio
from math import isqrt

REQUESTS = 6
WORKERS = 3
LIMIT = 120_000
BEAT_S = 0.02


def primes_below(limit: int) -> int:
    """Count the primes below limit. This only computes. Leave this function as it is."""
    return sum(all(n % d for d in range(2, isqrt(n) + 1)) for n in range(2, limit))


async def answer(n: int) -> int:
    """Answer one request: each has a different limit."""
    # TODO: let a process of the pool do the counting
    return await asyncio.to_thread(primes_below, LIMIT // n)


async def heart() -> None:
    """Everything else on this event loop. Leave this function as it is."""
    while True:
        await asyncio.sleep(BEAT_S)


async def main() -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    # TODO: how does each request get the pool?
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    # TODO: make the pool here, and pass it to main
    print(asyncio.run(main()))
