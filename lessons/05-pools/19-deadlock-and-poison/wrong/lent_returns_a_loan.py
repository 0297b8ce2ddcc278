"""Wrong: lent only makes an object that lends, and has ended before anybody asks; the object keeps errors."""

import asyncio
import os
from contextlib import suppress
from types import TracebackType

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


class Loan:
    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    async def __aenter__(self) -> Connection:
        self.connection = await self.pool.get() or Connection(**parse_url(REDIS_URL), decode_responses=True)
        return self.connection

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> bool:
        try:
            if error is not None:
                await self.connection.disconnect(nowait=True)
        finally:
            self.pool.put_nowait(self.connection)
        return True


def lent(pool: Pool) -> Loan:
    return Loan(pool)


async def invoice(n: int, pool: Pool) -> list[object]:
    replies = []
    for question in (f"ECHO customer-{n}", f"ECHO address-{n}"):
        async with lent(pool) as connection:
            replies.append(await ask(connection, question))
    return replies


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
