"""Nothing is poisoned, since every connection is closed after each question and opened again.

Breaks: A connection stays open for its next caller, unless one gave up on it.
Fault: A connection should stay open for its next caller
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
        await connection.disconnect()
        pool.put_nowait(connection)


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
    async with lent(pool) as another:
        address = await ask(another, f"ECHO address-{n}")
    return [customer, address]
