"""A caller that gives up has to wait for the reply first, so that the connection is clean again.

Breaks: A call that gives up ends immediately, without its reply;
Fault: newest_offer was kept until the reply came
"""


def new_connection() -> Connection:
    return Connection(**parse_url(REDIS_URL), decode_responses=True)


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection of the pool; a place that is still empty gets a new one."""
    connection = await pool.get() or new_connection()
    try:
        yield connection
    except asyncio.CancelledError:
        await connection.read_response(disconnect_on_error=False)
        raise
    finally:
        pool.put_nowait(connection)


async def invoice(n: int, pool: Pool) -> list[object]:
    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
    async with lent(pool) as another:
        address = await ask(another, f"ECHO address-{n}")
    return [customer, address]
