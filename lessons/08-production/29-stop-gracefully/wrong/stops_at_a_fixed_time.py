"""It stops 2.3 s after its start, which is about when SIGTERM comes, if one runs it as it is.

Breaks: Fix it: until SIGTERM, whenever that comes, workers go on taking jobs while there are any;
Fault: SIGTERM
"""


async def main() -> None:
    stopping = asyncio.Event()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    asyncio.get_running_loop().call_later(2.3, stopping.set)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        await stopping.wait()
        _, late = await asyncio.wait(workers, timeout=GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
