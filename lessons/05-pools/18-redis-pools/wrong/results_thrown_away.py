"""All orders are done, and what main returns is made up.

Breaks: main returns what is left of each product, in the order of the products.
Fault: it returned [10, 11, 12
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        for n in range(1, ORDERS + 1):
            group.create_task(order(n, client))
    return [9 + n for n in range(1, ORDERS + 1)]
