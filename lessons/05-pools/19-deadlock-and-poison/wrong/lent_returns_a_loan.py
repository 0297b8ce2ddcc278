"""lent only makes an object that lends, and has ended before anybody asks; the object keeps errors.

Breaks: which stays an asynccontextmanager;
Fault: asked after lent had ended
"""

from types import TracebackType


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
