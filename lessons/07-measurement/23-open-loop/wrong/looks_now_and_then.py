"""Wrong: looks every 5 ms whether the next request is due."""

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


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore, due_s: float) -> float:
    """Send request n over a free connection, and return how long it took since it was due."""
    async with connections:
        await answer(n, server)
    return time.perf_counter() - due_s


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    start_s = time.perf_counter()
    asked = []
    async with asyncio.TaskGroup() as group:
        for n in range(REQUESTS):
            due_s = start_s + n / RATE
            await sign(n)
            while time.perf_counter() < due_s:
                await asyncio.sleep(0.005)
            asked.append(group.create_task(ask(n, server, connections, due_s)))
    return [task.result() for task in asked]


async def main() -> list[float]:
    took_s = await measure()
    print(f"{len(took_s)} requests; the slowest took {1000 * max(took_s):.0f} ms")
    return took_s


if __name__ == "__main__":
    asyncio.run(main())
