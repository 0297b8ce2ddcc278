"""A server with one event loop and a pool of database sessions: how many requests does it answer in a second?

Predict it, and who wins, before you run it:  python async_pool.py
"""

import asyncio
from collections.abc import Iterator

WORKERS = 4
SESSIONS = 20
DELAY_MS = 100
CLIENTS = 40
REQUESTS = 120

places = asyncio.Semaphore(SESSIONS)


async def query() -> None:
    """The database takes its time. Nothing computes."""
    await asyncio.sleep(DELAY_MS / 1000)


async def request(n: int) -> int:
    """Keep a place until the query is answered."""
    async with places:
        await query()
    return n


async def client(numbers: Iterator[int]) -> None:
    """Send the next request as soon as the last one is answered."""
    for n in numbers:
        await request(n)


async def main() -> None:
    numbers = iter(range(1, REQUESTS + 1))
    async with asyncio.TaskGroup() as clients:
        for _ in range(CLIENTS):
            clients.create_task(client(numbers))
    print(f"{REQUESTS} requests are answered")


if __name__ == "__main__":
    asyncio.run(main())
