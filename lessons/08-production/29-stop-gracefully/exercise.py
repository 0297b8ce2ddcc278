"""A worker takes jobs from a queue in Redis, and does WORKERS of them at the same time. On SIGTERM it cancels
everything, and the jobs that it has begun are lost.

Fix it: until SIGTERM, whenever that comes, workers go on taking jobs while there are any; after it, no job is
taken. Jobs that are done within GRACE_S seconds from then are finished. The others are cancelled after that
time, and each is handed back once, when nobody is working on it any more. So each job that was taken is
either done or handed back, and the program ends by itself, with exit code 0.

Run it alone with:  python 29-stop-gracefully.py
"""

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


async def worker(redis: Redis) -> None:
    # TODO: which jobs may be taken, and what becomes of one that is cancelled?
    while (job := await take(redis)) is not None:
        await do(redis, job)


async def main() -> None:
    async with Redis.from_url(REDIS_URL) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis)) for _ in range(WORKERS)]
        # TODO: what may still be finished when SIGTERM comes, and for how long?
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, lambda: [one.cancel() for one in workers])
        await asyncio.gather(*workers, return_exceptions=True)


if __name__ == "__main__":
    threading.Timer(STOP_AFTER_S + random.uniform(1.3, 2.5), deploy).start()
    asyncio.run(main())
