"""A client that was refused gets the answer that everything is stored.

Breaks: It returns "stored" or "refused" for each,
Fault: serve() should return
"""


async def serve() -> list[str]:
    tasks = (accept(client) for client in range(1, CLIENTS + 1))
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    return ["stored" for _ in answers]
