"""It throws away what handle returned, and makes the answers up.

Breaks: main returns what handle returned.
Fault: main() should return
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        handle(request)
        answers.append(f"answer {request}")
        await asyncio.sleep(0)
    return answers
