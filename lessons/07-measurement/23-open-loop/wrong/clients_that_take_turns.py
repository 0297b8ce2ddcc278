"""Wrong: as wrk does it. CONNECTIONS clients ask again as soon as they are answered; RATE is in no line."""

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


async def ask(n: int, server: asyncio.Semaphore) -> float:
    await sign(n)
    sent_s = time.perf_counter()
    await answer(n, server)
    return time.perf_counter() - sent_s


async def measure() -> list[float]:
    server = asyncio.Semaphore(1)
    took_s = [0.0] * REQUESTS
    turns = iter(range(REQUESTS))

    async def client() -> None:
        for n in turns:
            took_s[n] = await ask(n, server)

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(client())
    return took_s


async def main() -> list[float]:
    took_s = await measure()
    print(f"{len(took_s)} requests; the slowest took {1000 * max(took_s):.0f} ms")
    return took_s


if __name__ == "__main__":
    asyncio.run(main())
