"""There are as many orders as there should be, but half of the products are ordered twice.

Breaks: Fix it: every order is done once
Fault: there was none for product
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    half = ORDERS // 2
    async with aioredis.Redis.from_pool(pool) as client:
        left = await asyncio.gather(*(order(n, client) for n in range(1, half + 1)))
        return left + await asyncio.gather(*(order(n, client) for n in range(1, ORDERS - half + 1)))
