"""A closed loop with a pause. Who asks next waits until the one before is answered.

Breaks: Fix it. Request n is due n / RATE seconds after the start, whatever happened to those before
it.
Fault: Request 1 is due at 10 ms, whatever happened to those before it
"""


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore) -> float:
    """Send request n over a free connection, and return how long it took."""
    await sign(n)
    async with connections:
        sent_s = time.perf_counter()
        await answer(n, server)
        return time.perf_counter() - sent_s


async def measure() -> list[float]:
    server, connections = asyncio.Semaphore(1), asyncio.Semaphore(CONNECTIONS)
    took_s = []
    for n in range(REQUESTS):
        took_s.append(await ask(n, server, connections))
        await asyncio.sleep(1 / RATE)
    return took_s
