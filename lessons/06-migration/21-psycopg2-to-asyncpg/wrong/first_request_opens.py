"""The first requests find no pool yet, and each of them makes one; nobody closes them.

Breaks: is opened before the first request
Fault: One asyncpg pool should be made, and shared
"""


async def query(sql: str, *values: int) -> list[dict]:
    if "pool" not in app.extensions:
        app.extensions["pool"] = await asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN)
    async with app.extensions["pool"].acquire() as connection:
        return [dict(row) for row in await connection.fetch(sql, *values)]


async def main() -> None:
    await app.run_task(host="127.0.0.1", port=PORT)
