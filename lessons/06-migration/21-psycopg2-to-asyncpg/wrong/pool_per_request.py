"""The rest is fixed, but each request still makes its own pool.

Breaks: Fix them: one pool
Fault: One asyncpg pool should be made, and shared
"""


async def query(sql: str, *values: int) -> list[dict]:
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN) as pool, pool.acquire() as connection:
        return [dict(row) for row in await connection.fetch(sql, *values)]


async def main() -> None:
    await app.run_task(host="127.0.0.1", port=PORT)
