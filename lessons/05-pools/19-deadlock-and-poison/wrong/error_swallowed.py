"""lent closes what a caller gave up on, and keeps the error to itself.

Breaks: lent lets its error through.
Fault: lent should let the error of a call through
"""


@asynccontextmanager
async def lent(pool: Pool) -> AsyncIterator[Connection]:
    connection = await pool.get() or Connection(**parse_url(REDIS_URL), decode_responses=True)
    try:
        yield connection
    except BaseException:  # noqa: BLE001
        await connection.disconnect()
    finally:
        pool.put_nowait(connection)
