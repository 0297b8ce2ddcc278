"""As many requests as it should, but always the same one.

Breaks: Send it when it is due, or as soon as one of the CONNECTIONS is free.
Fault: answer(0) was called 60 times
"""


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore, due_s: float) -> float:
    """Send request n over a free connection, and return how long it took since it was due."""
    async with connections:
        await answer(0, server)
    return time.perf_counter() - due_s
