"""Eight visits are counted, each on its own."""

import asyncio
import os

from redis.asyncio import Redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1")


async def visit(client: Redis) -> None:
    await client.incr("visits")


async def main() -> None:
    async with Redis.from_url(URL) as client:
        await asyncio.gather(*(visit(client) for _ in range(8)))


if __name__ == "__main__":
    asyncio.run(main())
