"""The pool waits, but it has only one connection.

Breaks: all of them are in use.
Fault: 5 redis connections should be held at the same time; there was never more than 1
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=1)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
