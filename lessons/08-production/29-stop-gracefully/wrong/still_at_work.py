"""Hands a job back while it is still being done.

Breaks: when nobody is working on it any more.
Fault: A job should be handed back when nobody is working
"""


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while not stopping.is_set() and (job := await take(redis)) is not None:
        try:
            await asyncio.shield(do(redis, job))
        except asyncio.CancelledError:
            await hand_back(redis, job)
            raise


async def main() -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        await stopping.wait()
        _, late = await asyncio.wait(workers, timeout=GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        await asyncio.sleep(QUICK_S)
