"""Waits for as long as the slow jobs take.

Breaks: The others are cancelled after that time,
Fault: and should be cancelled
"""


async def main() -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        await stopping.wait()
        _, late = await asyncio.wait(workers)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
