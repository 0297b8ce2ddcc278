"""The requests are handled in another process.

Breaks: in this process,
Fault: The calls of handle should be
"""

import concurrent.futures


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    loop = asyncio.get_running_loop()
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        while not backlog.empty():
            answers.append(await loop.run_in_executor(pool, handle, await backlog.get()))
    return answers
