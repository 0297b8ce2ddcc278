"""Each order has its own client, and with it its own pool.

Breaks: They share one pool, which is closed at the end.
Fault: One redis pool should be made, and shared; 20 were
"""


async def order_alone(n: int) -> int:
    """One order, with its own client."""
    async with aioredis.Redis.from_url(REDIS_URL, max_connections=CONNECTIONS) as client:
        return await order(n, client)


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    async with asyncio.TaskGroup() as group:
        orders = [group.create_task(order_alone(n)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
