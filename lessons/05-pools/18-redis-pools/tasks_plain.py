"""Twenty orders at the same time share a pool of five connections to Redis: what happens to the sixth?

Predict how many orders fail, and the seconds, before you run it:  python tasks_plain.py
"""

import asyncio
import os

from redis import asyncio as aioredis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
ORDERS = 20
CONNECTIONS = 5
HOLD_S = 0.3
WAIT_S = 20.0
STOCK = 10


async def order(n: int, client: aioredis.Redis) -> int:
    """Sell one piece of product n; return how many are left. A connection is held from WATCH to EXEC."""
    async with client.pipeline() as transaction:
        await transaction.watch(f"stock:{n}")
        left = int(await transaction.get(f"stock:{n}") or STOCK + n) - 1
        await asyncio.sleep(HOLD_S)  # stands for work between reading and writing
        transaction.multi()
        transaction.set(f"stock:{n}", left)
        await transaction.execute()
    return left


async def main() -> None:
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client:
        orders = [order(n, client) for n in range(1, ORDERS + 1)]
        outcomes = await asyncio.gather(*orders, return_exceptions=True)
    failed = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    print(f"{ORDERS - len(failed)} orders done, {len(failed)} failed", *failed[:1], sep="; ")


if __name__ == "__main__":
    asyncio.run(main())
