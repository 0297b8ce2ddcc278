"""As many connections as there are requests. A server has no room for these.

Breaks: Send it when it is due, or as soon as one of the CONNECTIONS is free.
Fault: There are 10 connections, and each has one request at a time
"""


async def ask(n: int, server: asyncio.Semaphore, connections: asyncio.Semaphore, due_s: float) -> float:
    """Send request n over a free connection, and return how long it took since it was due."""
    await answer(n, server)
    return time.perf_counter() - due_s
