"""No invoice gets written: each holds a connection and waits for another. Replies go astray, too. Fix both,
in invoice and lent, which stays an asynccontextmanager; leave the rest. No task that holds a connection waits
for one, or for a task that does. Each invoice asks both questions once, and gets the replies. A call that
gives up ends immediately, without its reply; lent lets its error through. POOL_SIZE questions are asked at
the same time, never more. A connection stays open for its next caller, unless one gave up on it.

Run it alone with:  asyncdemo services redis -- python 19-deadlock-and-poison.py
"""

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


async def connect(connection: Connection) -> None:
    await connection.connect()


async def ask(connection: Connection, command: str) -> object:
    if not connection.is_connected:
        await connect(connection)
    await connection.send_command(*command.split())
    return await connection.read_response(disconnect_on_error=False)


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    connection = await pool.get() or Connection(**parse_url(REDIS_URL), decode_responses=True)
    try:
        yield connection
    finally:
        pool.put_nowait(connection)  # TODO: can the next caller use it, whatever happened?


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
        async with lent(pool) as another:  # TODO: what if all others wait here, too?
            return [customer, await ask(another, f"ECHO address-{n}")]


async def newest_offer(pool: Pool) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S), lent(pool) as connection:
            await ask(connection, f"BLPOP offers {OFFER_S}")  # replies that there is none, after OFFER_S


async def main() -> list[list[object]]:
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
