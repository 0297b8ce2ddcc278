"""One more await, of a function that never suspends either.

Breaks: A worker drains a backlog, and the heart, which shows that the service is alive, stops. Keep
it beating.
Fault: No step may hold the event loop longer than 50 ms
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""

    async def answered(request: int) -> str:
        return handle(request)

    answers: list[str] = []
    while not backlog.empty():
        answers.append(await answered(await backlog.get()))
    return answers
