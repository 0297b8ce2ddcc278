"""The server is edited, and answers all requests at the same time.

Breaks: Leave this function and the next one as they are.
Fault: Leave sign and answer as they are
"""


async def answer(n: int, server: asyncio.Semaphore) -> None:
    """The server: it answers one request at a time, and stalls once. Halfway, this process pauses."""
    await asyncio.sleep((SERVICE_MS + (STALL_MS if n == REQUESTS // 3 else 0)) / 1000)
    if n == REQUESTS // 2:
        time.sleep(PAUSE_MS / 1000)
