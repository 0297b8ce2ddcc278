"""Right, too: as many workers as there are connections, which take due requests out of a queue."""

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


async def ask(n: int, server: asyncio.Semaphore, due_s: float) -> float:
    await answer(n, server)
    return time.perf_counter() - due_s


async def measure() -> list[float]:
    server = asyncio.Semaphore(1)
    due: asyncio.Queue[tuple[int, float]] = asyncio.Queue()
    took_s = [0.0] * REQUESTS

    async def worker() -> None:
        while True:
            n, due_s = await due.get()
            took_s[n] = await ask(n, server, due_s)
            due.task_done()

    start_s = time.perf_counter()
    workers = [asyncio.create_task(worker()) for _ in range(CONNECTIONS)]
    for n in range(REQUESTS):
        await sign(n)
        await asyncio.sleep(max(0.0, start_s + n / RATE - time.perf_counter()))
        due.put_nowait((n, start_s + n / RATE))
    await due.join()
    for task in workers:
        task.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    return took_s


async def main() -> list[float]:
    took_s = await measure()
    print(f"{len(took_s)} requests; the slowest took {1000 * max(took_s):.0f} ms")
    return took_s


if __name__ == "__main__":
    asyncio.run(main())
