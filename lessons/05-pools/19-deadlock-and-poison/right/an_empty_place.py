"""Right: puts back an empty place instead, and the task that takes that makes a new connection."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from redis.asyncio.connection import Connection, parse_url

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
INVOICES = 12
POOL_SIZE = 3
OFFER_S = 1.0
PATIENCE_S = 0.2
Pool = asyncio.LifoQueue[Connection | None]


def new_connection() -> Connection:
    return Connection(**parse_url(REDIS_URL), decode_responses=True)


async def connect(connection: Connection) -> None:
    """Open a connection to Redis."""
    await connection.connect()


async def ask(connection: Connection, command: str) -> object:
    """Ask Redis, and read one reply. Leave this function as it is."""
    if not connection.is_connected:
        await connect(connection)
    await connection.send_command(*command.split())
    return await connection.read_response(disconnect_on_error=False)


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection of the pool; a place that is still empty gets a new one."""
    connection = await pool.get() or new_connection()
    fit = None
    try:
        yield connection
        fit = connection
    finally:
        pool.put_nowait(fit)
        if fit is None:
            await connection.disconnect()


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
    async with lent(pool) as another:
        address = await ask(another, f"ECHO address-{n}")
    return [customer, address]


async def newest_offer(pool: Pool) -> None:
    """Ask a question, and give up before its reply comes. Leave this function as it is."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S), lent(pool) as connection:
            await ask(connection, f"BLPOP offers {OFFER_S}")  # replies that there is none, after OFFER_S


async def main() -> list[list[object]]:
    """Give up on the offers, then write all invoices. Leave this function as it is."""
    pool: Pool = asyncio.LifoQueue()
    for _ in range(POOL_SIZE):
        pool.put_nowait(None)
    await asyncio.gather(*(newest_offer(pool) for _ in range(POOL_SIZE - 1)))
    with suppress(TimeoutError):
        async with asyncio.timeout(2 * OFFER_S):
            return await asyncio.gather(*(invoice(n, pool) for n in range(1, INVOICES + 1)))
    return []


if __name__ == "__main__":
    print(*asyncio.run(main()), sep="\n")
