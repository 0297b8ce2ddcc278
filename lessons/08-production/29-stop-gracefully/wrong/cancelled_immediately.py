"""Hands everything back, and gives no job the time to end.

Breaks: Jobs that are done within GRACE_S seconds from then are finished.
Fault: and should be finished
"""


async def main() -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        await stopping.wait()
        _, late = await asyncio.wait(workers, timeout=0)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
