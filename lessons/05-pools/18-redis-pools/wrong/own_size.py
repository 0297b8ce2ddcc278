"""The pool has its own size, whatever CONNECTIONS says.

Breaks: There are never more than CONNECTIONS connections
Fault: redis connections may be held at the same time; 5 were
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=5)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
