"""A worker drains a backlog, and the heart, which shows that the service is alive, stops. Keep it beating.

Every request is handled, once and in order, one at a time, in this process, and main returns what handle
returned. Each beat is due BEAT_S after the one before, and comes at most 150 ms late. No step may hold the
event loop for longer than 50 ms, however many requests there are, and whether one takes 15 ms or 40.
Draining may take at most twice as long as the handling alone.

Run it alone with:  python 04-who-yields.py
"""

import asyncio
import random
import time

REQUESTS = 20
REQUEST_MS = 20
BEATS = 10
BEAT_S = 0.05
SEED = 0

chance = random.Random(SEED)


def beat(n: int) -> int:
    """Beat once. Leave this function as it is."""
    return n


async def heart() -> None:
    """Beat every BEAT_S. Leave this function as it is."""
    for n in range(1, BEATS + 1):
        beat(n)
        await asyncio.sleep(BEAT_S)


def handle(request: int) -> str:
    """Compute the answer, which keeps the thread for REQUEST_MS. Leave this function as it is."""
    end_s = time.perf_counter() + REQUEST_MS / 1000
    while time.perf_counter() < end_s:
        pass
    return f"answer {request}: {chance.randrange(1_000_000)}"


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()  # TODO: does this await ever suspend?
        answers.append(handle(request))
    return answers


async def main() -> list[str]:
    """Run the heart alongside the worker. Leave this function as it is."""
    backlog: asyncio.Queue[int] = asyncio.Queue()
    for request in range(1, REQUESTS + 1):
        backlog.put_nowait(request)
    async with asyncio.TaskGroup() as group:
        group.create_task(heart())
        worker = group.create_task(drain(backlog))
    return worker.result()


if __name__ == "__main__":
    print(len(asyncio.run(main())), "requests are answered")
