"""Nobody gives up any more, since the offers are not asked for.

Breaks: leave the rest.
Fault: newest_offer should be left as it is
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
    return [customer, address]


async def newest_offer(pool: Pool) -> None:
    """Ask a question, and give up before its reply comes. Leave this function as it is."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S), lent(pool):
            await asyncio.sleep(OFFER_S)
