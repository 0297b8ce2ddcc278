"""Takes new jobs until the time is over.

Breaks: after it, no job is taken.
Fault: no job may be taken
"""


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while (job := await take(redis)) is not None:
        try:
            await do(redis, job)
        except asyncio.CancelledError:
            await hand_back(redis, job)
            raise
