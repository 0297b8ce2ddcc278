"""The pool is never closed, so its connections are left open.

Breaks: They share one pool, which is closed at the end.
Fault: should be closed at the end
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    client = aioredis.Redis(connection_pool=pool)
    async with asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
