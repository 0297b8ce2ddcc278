"""The results are sorted, which is not the order of the products.

Breaks: main returns what is left of each product, in the order of the products.
Fault: the right numbers in another order
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client:
        orders = [order(n, client) for n in range(1, ORDERS + 1)]
        return sorted([await done for done in asyncio.as_completed(orders)])
