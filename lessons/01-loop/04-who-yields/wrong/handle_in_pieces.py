"""handle has been rewritten; it gives the others a turn all the time.

Breaks: Leave this function as it is.
Fault: and not within one; beat(
"""


async def handle(request: int) -> str:
    """Compute the answer, which keeps the thread for REQUEST_MS. Leave this function as it is."""
    end_s = time.perf_counter() + REQUEST_MS / 1000
    looks = 0
    while time.perf_counter() < end_s:
        looks += 1
        if looks % 500 == 0:
            await asyncio.sleep(0)
    return f"answer {request}"


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(await handle(request))
        await asyncio.sleep(0)
    return answers
