"""Nobody waits for the tasks, and serve answers before anything is stored.

Breaks: all,
Breaks: serve waits for all clients,
Fault: Nobody waited for its task
"""

running: list[asyncio.Task[None]] = []


async def serve() -> list[str]:
    running.extend(asyncio.create_task(accept(client)) for client in range(1, CLIENTS + 1))
    await asyncio.sleep(0.3)
    return ["refused" if client == REFUSED else "stored" for client in range(1, CLIENTS + 1)]
