"""Twenty orders arrive at the same time, and Redis allows this program five connections. The pool refuses
most orders, and main leaves them out without a word.

Fix it: every order is done once, and none fails. They share one pool, which is closed at the end. There are
never more than CONNECTIONS connections, and all of them are in use. main returns what is left of each
product, in the order of the products.

Run it alone with:  python 18-redis-pools.py
"""

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
    # TODO: what does this pool do while all of its connections are taken?
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client:
        orders = [order(n, client) for n in range(1, ORDERS + 1)]
        outcomes = await asyncio.gather(*orders, return_exceptions=True)
    # TODO: what else is in outcomes, apart from numbers?
    return [outcome for outcome in outcomes if isinstance(outcome, int)]


if __name__ == "__main__":
    print("left:", asyncio.run(main()))
