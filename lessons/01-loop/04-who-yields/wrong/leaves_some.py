"""It stops early, and the rest of the backlog is never handled.

Breaks: Every request is handled, once and in order,
Fault: The calls of handle should be
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        await asyncio.sleep(0)
        if len(answers) == 3:
            break
    return answers
