"""Wrong: every request lets the others go first, once, and then keeps the event loop as long as before."""

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
    await asyncio.sleep(0)
    return primes_below(LIMIT // n)


async def heart() -> None:
    """Everything else on this event loop. Leave this function as it is."""
    while True:
        await asyncio.sleep(BEAT_S)


async def main() -> list[int]:
    """Answer all requests at the same time; return the answers in order."""
    beating = asyncio.create_task(heart())
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(answer(n)) for n in range(1, REQUESTS + 1)]
    beating.cancel()
    return [task.result() for task in answers]


if __name__ == "__main__":
    print(asyncio.run(main()))
