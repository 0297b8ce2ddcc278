"""Requests that compute, and a heart next to them: what gets a turn, and how long does everything take?

Predict the heart's longest silence, and the seconds, before you run it:  python inline.py
"""

import asyncio
import time
from itertools import pairwise

JOBS = 8
WORKERS = 4
NUMBERS = 4_000_000
BEAT_S = 0.02


def squares(numbers: int) -> int:
    """Computes from its first line to its last. Nothing in it waits."""
    return sum(i**2 for i in range(numbers))


async def calc(n: int) -> int:
    """Answer one request."""
    return squares(NUMBERS)


async def heart(beats: list[float]) -> None:
    """Everything else on this event loop: it wants a turn every BEAT_S seconds."""
    while True:
        beats.append(time.perf_counter())
        await asyncio.sleep(BEAT_S)


async def main() -> None:
    beats: list[float] = []
    beating = asyncio.create_task(heart(beats))
    async with asyncio.TaskGroup() as group:
        for n in range(1, JOBS + 1):
            group.create_task(calc(n))
    beats.append(time.perf_counter())
    beating.cancel()
    silence_s = max(later - sooner for sooner, later in pairwise(beats))
    print(f"{JOBS} answers in {beats[-1] - beats[0]:.2f} s; the heart silent for at most {silence_s:.2f} s")


if __name__ == "__main__":
    asyncio.run(main())
