"""Cancels the slow jobs, and forgets them.

Breaks: and each is handed back once,
Fault: should be handed back once
"""


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while not stopping.is_set() and (job := await take(redis)) is not None:
        try:
            await do(redis, job)
        except asyncio.CancelledError:
            raise
