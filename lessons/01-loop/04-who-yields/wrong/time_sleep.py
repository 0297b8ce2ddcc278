"""Time.sleep(0) offers the processor to other threads; the event loop gets nothing.

Breaks: A worker drains a backlog, and the heart, which shows that the service is alive, stops. Keep
it beating.
Fault: No step may hold the event loop longer than 50 ms
"""


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        time.sleep(0)
    return answers
