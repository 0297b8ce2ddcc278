"""Each question is asked twice, on two connections, and the second reply is taken.

Breaks: Each invoice asks both questions once,
Fault: ask('ECHO customer-1') was called 2 times
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
    finally:
        pool.put_nowait(connection)


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
    async with lent(pool) as another:
        address = await ask(another, f"ECHO address-{n}")
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
    async with lent(pool) as another:
        address = await ask(another, f"ECHO address-{n}")
    return [customer, address]
