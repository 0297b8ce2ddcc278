"""drain returns before the requests are handled, with answers that nobody has computed.

Breaks: main returns what handle returned.
Fault: No call of handle may outlive drain()
"""

answering: list[asyncio.Task[list[str]]] = []


async def answer(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle what has been answered."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        await asyncio.sleep(0)
    return answers


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answering.append(asyncio.create_task(answer(backlog)))
    return [f"answer {n}" for n in range(1, REQUESTS + 1)]
