"""Both the worker and main hand a job back.

Breaks: and each is handed back once,
Fault: should be handed back once
"""

running: dict[asyncio.Task[None] | None, int] = {}


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while not stopping.is_set() and (job := await take(redis)) is not None:
        running[asyncio.current_task()] = job
        try:
            await do(redis, job)
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
        for task in late:
            await hand_back(redis, running[task])
