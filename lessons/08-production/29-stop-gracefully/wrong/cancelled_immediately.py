"""Wrong: hands everything back, and gives no job the time to end."""

import asyncio
import os
import random
import signal
import threading

from redis.asyncio import Redis

JOBS = 16
WORKERS = 4
SLOW_EVERY = 4
QUICK_S = 0.6
SLOW_S = 7.0
STOP_AFTER_S = 0.8
GRACE_S = 1.0
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")


async def take(redis: Redis) -> int | None:
    """Take the next job from the queue. Leave this function as it is."""
    return int(job) if (job := await redis.execute_command("LPOP", "jobs")) else None


async def do(redis: Redis, job: int) -> None:
    """Do a job, and write down that it's done. Leave this function as it is."""
    await asyncio.sleep(QUICK_S if job % SLOW_EVERY else SLOW_S)
    await redis.rpush("done", job)


async def hand_back(redis: Redis, job: int) -> None:
    """Put a job back into the queue, as the next one. Leave this function as it is."""
    await redis.lpush("jobs", job)


def deploy() -> None:
    """Stop this process, for a new version. Leave this function as it is."""
    os.kill(os.getpid(), signal.SIGTERM)


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while not stopping.is_set() and (job := await take(redis)) is not None:
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
        _, late = await asyncio.wait(workers, timeout=0)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


if __name__ == "__main__":
    threading.Timer(STOP_AFTER_S + random.uniform(1.3, 2.5), deploy).start()
    asyncio.run(main())
