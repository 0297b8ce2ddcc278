"""Ends the process in the handler, with the exit code of one that was killed.

Breaks: and the program ends by itself,
Fault: did not end as it should
"""


async def main() -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, os._exit, 143)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        await stopping.wait()
        _, late = await asyncio.wait(workers, timeout=GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
