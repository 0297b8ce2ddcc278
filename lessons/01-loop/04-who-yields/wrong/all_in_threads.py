"""Threads handle the requests, all at the same time.

Breaks: one at a time,
Fault: The requests should be handled in order, one at a time; handle(
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    requests = [backlog.get_nowait() for _ in range(backlog.qsize())]
    return await asyncio.gather(*(asyncio.to_thread(handle, request) for request in requests))
