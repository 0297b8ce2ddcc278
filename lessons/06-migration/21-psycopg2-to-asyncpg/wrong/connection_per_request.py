"""No pool at all; each request opens a connection and closes it.

Breaks: Fix them: one pool
Fault: There should be an asyncpg pool; none was made
"""


async def query(sql: str, *values: int) -> list[dict]:
    connection = await asyncpg.connect(URL)
    try:
        return [dict(row) for row in await connection.fetch(sql, *values)]
    finally:
        await connection.close()


async def main() -> None:
    await app.run_task(host="127.0.0.1", port=PORT)
