"""The worker beats for the heart, so that it looks alive. The loop is still blocked.

Breaks: No step may hold the event loop for longer than 50 ms, however many requests there are, and
whether one takes 15 ms or 40.
Fault: No step may hold the event loop longer than 50 ms
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        beat(request)
    return answers
