"""Another task asks for the second connection, while the invoice still holds the first.

Breaks: No task that holds a connection waits for one, or for a task that does.
Fault: 12 were not when main gave up
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
    async def ask_address() -> object:
        async with lent(pool) as another:
            return await ask(another, f"ECHO address-{n}")

    async with lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
        address = await asyncio.create_task(ask_address())
    return [customer, address]
