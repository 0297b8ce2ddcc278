"""Each invoice needs two look-ups, and three connections are lent out: who waits for whom, and until when?

Predict how many are written, and how many of them wrongly:  python nested.py
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from redis.asyncio import BlockingConnectionPool as Pool
from redis.asyncio import Connection, Redis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
INVOICES = 8
POOL_SIZE = 3
OFFER_S = 1.0
PATIENCE_S = 0.2
GIVE_UP_S = 1.5


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    connection = await pool.get_connection()
    try:
        yield connection
    finally:
        await pool.release(connection)


async def invoice(n: int, pool: Pool) -> None:
    async with lent(pool) as connection:
        await connection.send_command("GET", f"order:{n}")
        customer = await connection.read_response()
        async with lent(pool) as another:
            await another.send_command("INCR", f"invoices:{customer}")
            await another.read_response()
    assert customer == f"customer {n}", f"invoice {n} is made out to {customer}"


async def newest_offer(pool: Pool) -> None:
    async with asyncio.timeout(PATIENCE_S), lent(pool) as connection:
        await connection.send_command("BLPOP", "offers", OFFER_S)  # the reply will be that there is none
        await connection.read_response()


async def main() -> None:
    pool = Pool.from_url(REDIS_URL, max_connections=POOL_SIZE, timeout=None, decode_responses=True)
    async with pool:
        await Redis(connection_pool=pool).mset({f"order:{n}": f"customer {n}" for n in range(INVOICES + 1)})
        with suppress(TimeoutError):
            await newest_offer(pool)
        async with asyncio.timeout(GIVE_UP_S), asyncio.TaskGroup() as group:
            for n in range(1, INVOICES + 1):
                group.create_task(invoice(n, pool))
    print(f"{INVOICES} invoices are written")


if __name__ == "__main__":
    asyncio.run(main())
