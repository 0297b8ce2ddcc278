"""Eight visits are counted over one client, which all share."""

import asyncio
import os

from redis.asyncio import Redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1")
client = Redis.from_url(URL)


async def visit() -> int:
    return await client.incr("visits")


async def main() -> None:
    async with client:
        for _ in range(8):
            print(await visit())


if __name__ == "__main__":
    asyncio.run(main())
