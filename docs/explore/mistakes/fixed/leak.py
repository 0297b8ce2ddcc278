"""Three readers subscribe to the news, and leave again."""

import asyncio
import os

from redis.asyncio import Redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1")


async def read(client: Redis) -> None:
    async with client.pubsub() as news:
        await news.subscribe("news")
        await news.get_message(timeout=0.1)


async def main() -> None:
    async with Redis.from_url(URL, max_connections=5) as client:
        await asyncio.gather(*(read(client) for _ in range(3)))
        await asyncio.sleep(0.1)


if __name__ == "__main__":
    asyncio.run(main())
