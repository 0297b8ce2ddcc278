"""A caller that finds the pool empty gets a connection anyway.

Breaks: never more.
Fault: At most 3 questions may be at work at the same time; 12 were
"""


def new_connection() -> Connection:
    return Connection(**parse_url(REDIS_URL), decode_responses=True)


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection of the pool; a place that is still empty gets a new one."""
    connection = (None if pool.empty() else pool.get_nowait()) or new_connection()
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
    return [customer, address]
