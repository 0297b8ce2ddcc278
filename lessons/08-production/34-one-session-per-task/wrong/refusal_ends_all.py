"""The task group cancels all other clients when one is refused.

Breaks: all,
Fault: the error of another task ended this one
"""

from sqlalchemy.exc import IntegrityError


async def serve() -> list[str]:
    tasks: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks += [group.create_task(accept(client)) for client in range(1, CLIENTS + 1)]
    except* IntegrityError:
        pass
    return ["refused" if task.cancelled() or task.exception() else "stored" for task in tasks]
