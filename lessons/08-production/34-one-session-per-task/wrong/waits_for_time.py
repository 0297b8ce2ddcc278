"""serve sleeps for so long that the clients are most likely done.

Breaks: and for nothing else.
Fault: serve should wait for its clients, and for nothing else; it slept for 5.
"""


async def serve() -> list[str]:
    tasks = [asyncio.create_task(accept(client)) for client in range(1, CLIENTS + 1)]
    await asyncio.sleep(5)
    return ["refused" if task.exception() else "stored" for task in tasks]
