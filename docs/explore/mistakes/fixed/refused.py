"""Four visits are counted over at most two connections."""

import asyncio
import os

from redis.asyncio import BlockingConnectionPool, Redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1")


async def visit(client: Redis) -> int:
    return await client.incr("visits")


async def main() -> None:
    pool = BlockingConnectionPool.from_url(URL, max_connections=2)
    async with Redis.from_pool(pool) as client:
        jobs = [visit(client) for _ in range(4)]
        print(await asyncio.gather(*jobs, return_exceptions=True))


if __name__ == "__main__":
    asyncio.run(main())
