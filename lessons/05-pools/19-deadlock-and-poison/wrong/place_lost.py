"""Closes what was cancelled, and forgets to put its place back.

Breaks: Fix both, in invoice and lent,
Fault: Does every place come back?
"""


def new_connection() -> Connection:
    return Connection(**parse_url(REDIS_URL), decode_responses=True)


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection of the pool; a place that is still empty gets a new one."""
    connection = await pool.get() or new_connection()
    try:
        yield connection
    except BaseException:
        await connection.disconnect()
        raise
    pool.put_nowait(connection)


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
    async with lent(pool) as another:
        address = await ask(another, f"ECHO address-{n}")
    return [customer, address]
