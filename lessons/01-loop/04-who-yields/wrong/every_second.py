"""It gives the others a turn after every second request, too rarely if requests take longer.

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
        if request % 2 == 0:
            await asyncio.sleep(0)
    return answers
