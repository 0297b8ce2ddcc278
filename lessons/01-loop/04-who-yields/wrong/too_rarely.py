"""A turn for the others after every fifth request only.

Breaks: No step may hold the event loop for longer than 50 ms, however many requests there are, and
whether one takes 15 ms or 40.
Fault: held it for 100 ms
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        if request % 5 == 0:
            await asyncio.sleep(0)
    return answers
