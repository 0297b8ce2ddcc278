"""It sleeps for as long as a beat after each request, so the backlog takes three times as long.

Breaks: Draining may take at most twice as long as the handling alone.
Fault: drain() may take
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        await asyncio.sleep(BEAT_S)
    return answers
