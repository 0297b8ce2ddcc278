"""Only as many orders are done as there are connections.

Breaks: Fix it: every order is done once
Fault: There should be 20 orders; there were 5
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, CONNECTIONS + 1)]
    return [task.result() for task in orders]
