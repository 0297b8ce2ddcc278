"""Right: the pool is closed where it was made, and the client only borrows it."""

import asyncio
import os
import random

from redis import asyncio as aioredis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
ORDERS = 20
CONNECTIONS = 5
HOLD_S = 0.2


async def order(n: int, client: aioredis.Redis) -> int:
    """Sell one of product n; return how many are left. Leave this function as it is."""
    async with client.pipeline() as transaction:
        await transaction.watch(f"stock:{n}")
        stock = int(await transaction.get(f"stock:{n}") or random.randrange(10, 1000))  # or a first count
        await asyncio.sleep(HOLD_S)
        transaction.multi()
        transaction.set(f"stock:{n}", stock - 1)
        await transaction.execute()
    return stock - 1


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    async with aioredis.BlockingConnectionPool.from_url(
        REDIS_URL, max_connections=CONNECTIONS, timeout=None
    ) as pool:
        client = aioredis.Redis(connection_pool=pool)
        return await asyncio.gather(*(order(n, client) for n in range(1, ORDERS + 1)))


if __name__ == "__main__":
    print("left:", asyncio.run(main()))
