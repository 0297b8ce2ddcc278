"""Six workers wait for a job, over connections of one pool."""

import asyncio
import os

from redis.asyncio import BlockingConnectionPool, Redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1")


async def work(client: Redis) -> None:
    await client.blpop(["jobs"], timeout=0.2)


async def main() -> None:
    pool = BlockingConnectionPool.from_url(URL, max_connections=6)
    async with Redis.from_pool(pool) as client:
        await asyncio.gather(*(work(client) for _ in range(6)))


if __name__ == "__main__":
    asyncio.run(main())
