"""The errors are no longer hidden, but the pool still refuses.

Breaks: none fails.
Fault: MaxConnectionsError
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
