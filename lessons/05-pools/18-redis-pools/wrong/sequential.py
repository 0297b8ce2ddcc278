"""One order after another. No connection is ever missing, and four of them are never used.

Breaks: all of them are in use.
Fault: 5 redis connections should be held at the same time; there was never more than 1
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client:
        return [await order(n, client) for n in range(1, ORDERS + 1)]
