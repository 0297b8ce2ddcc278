"""There are three connections, and each invoice needs one while it has another: who waits for whom?

Predict how many invoices are written, and how many of them wrongly:  python flat.py
"""

import asyncio
import os
from contextlib import suppress

from redis.asyncio import BlockingConnectionPool, Redis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
INVOICES = 8
POOL_SIZE = 3
OFFER_S = 1.0
PATIENCE_S = 0.2
GIVE_UP_S = 1.5


async def invoice(n: int, shop: Redis) -> None:
    """Ask whose order it is, on its own connection, and for the number of the invoice."""
    async with shop.client() as mine:
        customer = await mine.get(f"order:{n}")
    number = await shop.incr("invoices")
    if customer != f"customer {n}":
        raise LookupError(f"invoice {number}, of order {n}, is made out to {customer!r}")


async def newest_offer(pool: BlockingConnectionPool) -> None:
    """Ask for an offer, with little patience. There is none: Redis says so after OFFER_S seconds."""
    connection = await pool.get_connection()
    try:
        async with asyncio.timeout(PATIENCE_S):
            await connection.send_command("BLPOP", "offers", OFFER_S)
            await connection.read_response()
    finally:
        await pool.release(connection)


async def main() -> None:
    pool = BlockingConnectionPool.from_url(
        REDIS_URL, max_connections=POOL_SIZE, timeout=None, decode_responses=True
    )
    shop = Redis(connection_pool=pool)
    await shop.mset({f"order:{n}": f"customer {n}" for n in range(1, INVOICES + 1)})
    with suppress(TimeoutError):
        await newest_offer(pool)
    try:
        async with asyncio.timeout(GIVE_UP_S), asyncio.TaskGroup() as group:
            for n in range(1, INVOICES + 1):
                group.create_task(invoice(n, shop))
        print(f"{INVOICES} invoices are written")
    except* (LookupError, TimeoutError) as errors:
        print("stopped by", *map(repr, errors.exceptions))
    await pool.aclose()


if __name__ == "__main__":
    asyncio.run(main())
