"""The pool lets an order wait, but not for as long as the others hold the connections.

Breaks: none fails.
Fault: No connection available
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.BlockingConnectionPool.from_url(
        REDIS_URL, max_connections=CONNECTIONS, timeout=HOLD_S / 2
    )
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
