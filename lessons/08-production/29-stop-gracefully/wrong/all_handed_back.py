"""A finally hands back the jobs that are done, too.

Breaks: So each job that was taken is either done or handed back,
Fault: should be handed back never
"""


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while not stopping.is_set() and (job := await take(redis)) is not None:
        try:
            await do(redis, job)
        finally:
            await hand_back(redis, job) if stopping.is_set() else None
