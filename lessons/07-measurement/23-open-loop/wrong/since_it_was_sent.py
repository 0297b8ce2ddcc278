"""Sent at the right moments, and the wait for a free connection is left out of the times.

Breaks: measure returns how many seconds each request took, from when it was due until it was
answered
Fault: greatest time that measure returned is
"""


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore, due_s: float) -> float:
    """Send request n over a free connection, and return how long it took since it was due."""
    async with connections:
        sent_s = time.perf_counter()
        await answer(n, server)
        return time.perf_counter() - sent_s
