"""An order that was refused asks again and again, until a connection happens to be free.

Breaks: Fix it: every order is done once
Fault: should return; it raised MaxConnectionsError
"""

from redis.exceptions import MaxConnectionsError


async def order_until_done(n: int, client: aioredis.Redis) -> int:
    """One order, as often as it takes."""
    while True:
        try:
            return await order(n, client)
        except MaxConnectionsError:
            await asyncio.sleep(HOLD_S / 10)


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    pool = aioredis.ConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order_until_done(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
