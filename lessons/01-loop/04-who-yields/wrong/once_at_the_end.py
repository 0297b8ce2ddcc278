"""The loop gets a turn when the backlog is gone, when it is too late.

Breaks: No step may hold the event loop for longer than 50 ms, however many requests there are, and
whether one takes 15 ms or 40.
Fault: drain held it for 400 ms
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
    await asyncio.sleep(0)
    return answers
