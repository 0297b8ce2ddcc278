"""Nobody has to wait for another connection, since nobody else is let in.

Breaks: POOL_SIZE questions are asked at the same time
Fault: there were never more than 1
"""

turn = asyncio.Lock()


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
    async with turn, lent(pool) as connection:
        customer = await ask(connection, f"ECHO customer-{n}")
        address = await ask(connection, f"ECHO address-{n}")
    return [customer, address]
