"""Holds one, asks for another, and starts again when that takes too long. As all others do.

Breaks: No task that holds a connection waits for one, or for a task that does.
Fault: No task should wait for a connection while it holds another; invoice(1) did
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
    while True:
        with suppress(TimeoutError):
            async with lent(pool) as connection:
                customer = await ask(connection, f"ECHO customer-{n}")
                async with asyncio.timeout(PATIENCE_S), lent(pool) as another:
                    return [customer, await ask(another, f"ECHO address-{n}")]
