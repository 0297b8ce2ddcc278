"""Counts the time in whole quarters of a second, so jobs are cancelled too early.

Breaks: The others are cancelled after that time,
Fault: and should be cancelled
"""


async def worker(redis: Redis, stop: asyncio.Event, doing: set[asyncio.Task[None]]) -> None:
    while not stop.is_set():
        job = await take(redis)
        if job is None:
            await asyncio.sleep(0.05)
            continue
        task = asyncio.create_task(do(redis, job))
        doing.add(task)
        await asyncio.wait([task])
        doing.remove(task)
        if task.cancelled() and await redis.lpos("done", str(job)) is None:
            await hand_back(redis, job)


async def main() -> None:
    stop, doing = asyncio.Event(), set[asyncio.Task[None]]()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis, stop, doing)) for _ in range(WORKERS)]
        await stop.wait()
        for _ in range(int(GRACE_S / 0.25)):
            if all(one.done() for one in workers):
                break
            await asyncio.sleep(0.25)
        for task in doing:
            task.cancel()
        await asyncio.gather(*workers)
