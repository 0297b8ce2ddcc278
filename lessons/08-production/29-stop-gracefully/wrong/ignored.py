"""SIGTERM is ignored, and all jobs are done.

Breaks: after it, no job is taken.
Fault: no job may be taken
"""


async def worker(redis: Redis) -> None:
    while (job := await take(redis)) is not None:
        await do(redis, job)


async def main() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        await asyncio.gather(*(worker(redis) for _ in range(WORKERS)))
