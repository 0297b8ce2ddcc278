"""Four invoices are written, each in a transaction."""

import asyncio
import os

from redis.asyncio import BlockingConnectionPool, Redis

URL = os.environ.get("REDIS_URL", "redis://127.0.0.1")
LIMITS = {"max_connections": 2, "timeout": 0.5}


async def invoice(number: int, client: Redis) -> None:
    async with client.pipeline() as transaction:
        await transaction.watch(f"invoice:{number}")
        price = await transaction.get("price") or 1
        transaction.multi()
        transaction.set(f"invoice:{number}", price)
        await transaction.execute()


async def main() -> None:
    pool = BlockingConnectionPool.from_url(URL, **LIMITS)
    async with Redis.from_pool(pool) as client:
        jobs = [invoice(n, client) for n in range(4)]
        print(await asyncio.gather(*jobs, return_exceptions=True))


if __name__ == "__main__":
    asyncio.run(main())
