"""Right: as many workers as connections take the orders, so the plain pool is never asked for more."""

import asyncio
import os
import random
from collections.abc import Iterator

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


async def work(products: Iterator[int], client: aioredis.Redis, left: dict[int, int]) -> None:
    """One connection's worth of work: orders, until none is left."""
    for n in products:
        left[n] = await order(n, client)


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    left: dict[int, int] = {}
    products = iter(range(1, ORDERS + 1))
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(work(products, client, left))
    return [left[n] for n in sorted(left)]


if __name__ == "__main__":
    print("left:", asyncio.run(main()))
