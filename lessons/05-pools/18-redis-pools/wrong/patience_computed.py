"""How long an order waits for a connection is computed from HOLD_S, as if nothing else took time.

Breaks: none fails.
Fault: No connection available
"""


async def main() -> list[int]:
    """Do all orders; return what is left of each product, in the order of the products."""
    takes_s = 2 * HOLD_S * ORDERS / CONNECTIONS  # all orders together, and as much again
    pool = aioredis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS, timeout=takes_s)
    async with aioredis.Redis.from_pool(pool) as client, asyncio.TaskGroup() as group:
        orders = [group.create_task(order(n, client)) for n in range(1, ORDERS + 1)]
    return [task.result() for task in orders]
