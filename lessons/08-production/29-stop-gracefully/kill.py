"""A worker takes jobs from a queue in Redis. SIGTERM comes while it's at work: what becomes of its jobs?

Predict how many jobs are lost before you run it:  python kill.py
"""

import asyncio
import os
import subprocess

from redis.asyncio import Redis

JOBS = 16
WORKERS = 4
QUICK_S = 0.6
SLOW_S = 4.0
STOP_AFTER_S = 1.5
GRACE_S = 1.0
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")


async def do(redis: Redis, job: str) -> None:
    """Do a job, and write down that it's done. Every fourth one is slow."""
    await asyncio.sleep(SLOW_S if int(job) % 4 == 3 else QUICK_S)
    await redis.rpush("done", job)


async def hand_back(redis: Redis, job: str) -> None:
    """Put a job back where it came from, as the next one."""
    await redis.lpush("jobs", job)


async def worker(redis: Redis) -> None:
    while (job := await redis.execute_command("LPOP", "jobs")) is not None:
        await do(redis, job)


async def main() -> None:
    async with Redis.from_url(REDIS_URL, decode_responses=True) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        workers = [asyncio.create_task(worker(redis)) for _ in range(WORKERS)]
        deploy = subprocess.Popen(["sh", "-c", f"sleep {STOP_AFTER_S}; kill -TERM {os.getpid()}"])
        await asyncio.gather(*workers)
        deploy.wait()
        print(await redis.llen("jobs"), "jobs are in the queue,", await redis.llen("done"), "are done")


if __name__ == "__main__":
    asyncio.run(main())
