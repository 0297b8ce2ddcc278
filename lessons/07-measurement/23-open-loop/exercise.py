"""How long does a request take at RATE a second? This load client reports short times for any server.

Fix it. Request n is due n / RATE seconds after the start, whatever happened to those before it. Send it when
it is due, or as soon as one of the CONNECTIONS is free. measure returns how many seconds each request took,
from when it was due until it was answered: all of them, in order.

Run it alone with:  python 23-open-loop.py
"""

import asyncio
import time

RATE = 100
REQUESTS = 60
CONNECTIONS = 10
SERVICE_MS = 20
STALL_MS = 0
SIGN_MS = 4
PAUSE_MS = 0


async def sign(n: int) -> None:
    """Each request is signed before it is sent. Leave this function and the next one as they are."""
    await asyncio.sleep(SIGN_MS / 1000)


async def answer(n: int, server: asyncio.Semaphore) -> None:
    """The server: it answers one request at a time, and stalls once. Halfway, this process pauses."""
    async with server:
        await asyncio.sleep((SERVICE_MS + (STALL_MS if n == REQUESTS // 3 else 0)) / 1000)
        if n == REQUESTS // 2:
            time.sleep(PAUSE_MS / 1000)


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore) -> float:
    """Send request n over a free connection, and return how long it took."""
    await sign(n)
    async with connections:
        sent_s = time.perf_counter()  # TODO: since when has somebody been waiting for this answer?
        await answer(n, server)
        return time.perf_counter() - sent_s


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    took_s = []
    # TODO: what does the moment of one request have to do with the answer to another?
    for n in range(REQUESTS):
        took_s.append(await ask(n, server, connections))
        await asyncio.sleep(1 / RATE)
    return took_s


async def main() -> list[float]:
    took_s = await measure()
    print(f"{len(took_s)} requests; the slowest took {1000 * max(took_s):.0f} ms")
    return took_s


if __name__ == "__main__":
    asyncio.run(main())
