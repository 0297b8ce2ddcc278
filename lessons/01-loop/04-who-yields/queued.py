"""A heart beats while a task computes in chunks, with an await after each: does every beat come on time?

Predict the longest gap between two beats, in ms:  python queued.py
"""

import asyncio
import time
from itertools import pairwise

BEATS = 10
BEAT_S = 0.05
CHUNKS = 30
CHUNK_MS = 10


async def heart() -> None:
    """Beat every BEAT_S. It needs the thread only for an instant, but on time."""
    beats = [time.perf_counter()]
    for _ in range(BEATS):
        await asyncio.sleep(BEAT_S)
        beats.append(time.perf_counter())
    gap_ms = max(1000 * (later - sooner) for sooner, later in pairwise(beats))
    print(f"longest gap between two beats: {gap_ms:.0f} ms")


def compute(chunk: int) -> int:
    """Stands for real work: keeps the thread busy for CHUNK_MS."""
    end_s = time.perf_counter() + CHUNK_MS / 1000
    while time.perf_counter() < end_s:
        pass
    return chunk


async def deliver(result: int, results: asyncio.Queue[int]) -> None:
    """Pass one result on."""
    await results.put(result)


async def crunch() -> None:
    """Compute all chunks, with an await after each."""
    results: asyncio.Queue[int] = asyncio.Queue()
    for chunk in range(1, CHUNKS + 1):
        await deliver(compute(chunk), results)


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(heart())
        group.create_task(crunch())


if __name__ == "__main__":
    asyncio.run(main())
