"""One pool, and closed at the end, but it is the first request that opens it.

Breaks: is opened before the first request
Fault: The pool should be opened before the first request
"""

opening = asyncio.Lock()


async def query(sql: str, *values: int) -> list[dict]:
    async with opening:
        if "pool" not in app.extensions:
            app.extensions["pool"] = await asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN)
    async with app.extensions["pool"].acquire() as connection:
        return [dict(row) for row in await connection.fetch(sql, *values)]


async def main() -> None:
    await app.run_task(host="127.0.0.1", port=PORT)
    await app.extensions["pool"].close()
