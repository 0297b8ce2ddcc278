"""A task for each request, all of them ready at the same time, so the heart waits for all of them.

Breaks: Each beat is due BEAT_S after the one before, and comes at most 150 ms late.
Fault: The heart should keep beating while requests are handled; between beat(
"""


async def answer(request: int) -> str:
    """Handle one request. It never waits, so its task is a single step."""
    return handle(request)


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    requests = [backlog.get_nowait() for _ in range(backlog.qsize())]
    return await asyncio.gather(*(answer(request) for request in requests))
