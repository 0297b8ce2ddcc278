"""A worker takes jobs from a queue in Redis. SIGTERM comes while it's at work: what becomes of its jobs?

Predict how many jobs are lost before you run it:  python drain.py
"""

import asyncio
import os
import signal
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


async def worker(redis: Redis, stopping: asyncio.Event) -> None:
    while not stopping.is_set() and (job := await redis.execute_command("LPOP", "jobs")) is not None:
        try:
            await do(redis, job)
        except asyncio.CancelledError:
            await hand_back(redis, job)
            raise


async def main() -> None:
    async with Redis.from_url(REDIS_URL, decode_responses=True) as redis:
        await redis.delete("jobs", "done")
        await redis.rpush("jobs", *range(1, JOBS + 1))
        stopping = asyncio.Event()
        workers = [asyncio.create_task(worker(redis, stopping)) for _ in range(WORKERS)]
        deploy = subprocess.Popen(["sh", "-c", f"sleep {STOP_AFTER_S}; kill -TERM {os.getpid()}"])
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        await stopping.wait()
        _, late = await asyncio.wait(workers, timeout=GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        deploy.wait()
        print(await redis.llen("jobs"), "jobs are in the queue,", await redis.llen("done"), "are done")


if __name__ == "__main__":
    asyncio.run(main())
