"""Ignores SIGTERM, and stops in its own time.

Breaks: Fix it: until SIGTERM, whenever that comes, workers go on taking jobs while there are any;
Fault: Only SIGTERM may stop the workers
"""


async def main() -> None:
    stopping = asyncio.Event()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    asyncio.get_running_loop().call_later(STOP_AFTER_S, stopping.set)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        await stopping.wait()
        _, late = await asyncio.wait(workers, timeout=GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
