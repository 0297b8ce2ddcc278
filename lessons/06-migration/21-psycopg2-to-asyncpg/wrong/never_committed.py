"""A transaction is begun and never committed, so each review is undone as its connection goes back.

Breaks: A review is in the database before its client is answered.
Fault: A film should show every review
"""


async def query(sql: str, *values: int) -> list[dict]:
    async with app.extensions["pool"].acquire() as connection:
        await connection.transaction().start()
        return [dict(row) for row in await connection.fetch(sql, *values)]
