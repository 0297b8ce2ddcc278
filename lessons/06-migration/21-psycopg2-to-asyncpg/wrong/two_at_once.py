"""A film holds one connection while it asks for a second one.

Breaks: Fix them: one pool
Fault: Nobody should hold two asyncpg connections at the same time
"""


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    async with app.extensions["pool"].acquire() as connection:
        row = await connection.fetchrow(
            "SELECT title, length FROM film, pg_sleep(0.06) WHERE film_id = $1", film_id
        )
        reviews = await query("SELECT rating FROM review WHERE film_id = $1", film_id)
    return dict(row) | {"ratings": [review["rating"] for review in reviews]}
