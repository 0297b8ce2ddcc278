"""Twenty orders at once, and Redis lets this program have five connections. Most orders are lost: the pool
refuses them, and main leaves them out without a word.

Mend it: every order is done, none fails, there are never more than CONNECTIONS connections, and all of these
are in use. main returns what is left of each article, in the order of the articles.

Run it alone with:  python exercise.py
"""

import asyncio
import os

from redis import asyncio as aioredis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
ORDERS = 20
CONNECTIONS = 5
HOLD_S = 0.2
STOCK = 10


async def order(n: int, client: aioredis.Redis) -> int:
    """Sell one piece of article n; how many are left. Leave this function as it is."""
    async with client.pipeline() as transaction:
        await transaction.watch(f"stock:{n}")
        left = int(await transaction.get(f"stock:{n}") or STOCK + n) - 1
        await asyncio.sleep(HOLD_S)
        transaction.multi()
        transaction.set(f"stock:{n}", left)
        await transaction.execute()
    return left


async def main() -> list[int]:
    """Do all orders; what is left of each article, in the order of the articles."""
    # TODO: what does this pool do while all of its connections are taken?
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client:
        orders = [order(n, client) for n in range(1, ORDERS + 1)]
        outcomes = await asyncio.gather(*orders, return_exceptions=True)
    # TODO: what is among the outcomes, beside numbers?
    return [outcome for outcome in outcomes if isinstance(outcome, int)]


if __name__ == "__main__":
    print("left:", asyncio.run(main()))
