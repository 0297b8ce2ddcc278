"""An order no longer takes its time, which was not asked for.

Breaks: Leave this function as it is.
Fault: should take at least 200 ms
"""


async def order(n: int, client: aioredis.Redis) -> int:
    """Sell one of product n; return how many are left. Leave this function as it is."""
    async with client.pipeline() as transaction:
        await transaction.watch(f"stock:{n}")
        stock = int(await transaction.get(f"stock:{n}") or random.randrange(10, 1000))  # or a first count
        await asyncio.sleep(0)
        transaction.multi()
        transaction.set(f"stock:{n}", stock - 1)
        await transaction.execute()
    return stock - 1
