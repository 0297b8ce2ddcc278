"""Asks until the reply is the right one. On a connection that is one reply behind, it never is.

Breaks: gets the replies.
Fault: ask('ECHO customer-1') was given None
"""


def new_connection() -> Connection:
    return Connection(**parse_url(REDIS_URL), decode_responses=True)


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection of the pool; a place that is still empty gets a new one."""
    connection = await pool.get() or new_connection()
    try:
        yield connection
    finally:
        pool.put_nowait(connection)


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        while (customer := await ask(connection, f"ECHO customer-{n}")) != f"customer-{n}":
            pass
    async with lent(pool) as another:
        while (address := await ask(another, f"ECHO address-{n}")) != f"address-{n}":
            pass
    return [customer, address]
