"""handle awaits a sleep instead of computing, so there is nothing left that holds the loop.

Breaks: Leave this function as it is.
Fault: handle(1) waited instead. Leave handle as it is
"""


async def handle(request: int) -> str:
    """Wait for REQUEST_MS."""
    await asyncio.sleep(REQUEST_MS / 1000)
    return f"answer {request}"


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(await handle(request))
        await asyncio.sleep(0)
    return answers
