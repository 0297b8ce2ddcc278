"""A server can take 50 requests a second, and is asked 100 times a second: how long do these requests wait?

Predict the longest wait before you run it:  python constant_rate.py
"""

import asyncio
import math
import random
import time
from collections.abc import Iterator

RATE = 100
REQUESTS = 100
CLIENTS = 5
SERVICE_MS = 20
STALL_MS = 0
POISSON = 0
SEED = 1


async def request(n: int, server: asyncio.Semaphore, waits_s: list[float]) -> None:
    """One request, from due to answered. The server takes one at a time, and stalls once."""
    due_s = time.perf_counter()
    async with server:
        stall_ms = STALL_MS if n == REQUESTS // 2 else 0
        await asyncio.sleep((SERVICE_MS + stall_ms) / 1000)
    waits_s.append(time.perf_counter() - due_s)


async def send(turns: Iterator[int], server: asyncio.Semaphore, waits_s: list[float]) -> None:
    """Send all. RATE a second are due, whether or not they are answered; CLIENTS has no effect here."""
    draw = random.Random(SEED)
    due_s = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for n in turns:
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            group.create_task(request(n, server, waits_s))
            due_s += draw.expovariate(RATE) if POISSON else 1 / RATE


async def main() -> None:
    turns, server = iter(range(1, REQUESTS + 1)), asyncio.Semaphore(1)
    waits_s: list[float] = []
    await send(turns, server, waits_s)
    waits_s.sort()
    half, most = waits_s[len(waits_s) // 2], waits_s[math.ceil(99 * len(waits_s) / 100) - 1]
    print(f"at most {1000 * half:.0f} ms for half of them, at most {1000 * most:.0f} ms for 99 of 100")


if __name__ == "__main__":
    asyncio.run(main())
