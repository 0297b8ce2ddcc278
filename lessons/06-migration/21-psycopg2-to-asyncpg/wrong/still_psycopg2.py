"""Handlers became async, and the driver still blocks: while one waits for the database, all do.

Breaks: Fix them: one pool
Fault: held it for
"""

from psycopg2.extras import RealDictCursor
from psycopg2.pool import ThreadedConnectionPool


async def query(sql: str, *values: int) -> list[dict]:
    connection = app.extensions["pool"].getconn()
    try:
        with connection, connection.cursor(cursor_factory=RealDictCursor) as cursor:
            cursor.execute(sql, values)
            return [dict(row) for row in cursor]
    finally:
        app.extensions["pool"].putconn(connection)


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    sql = """SELECT title, length, ARRAY(SELECT rating FROM review WHERE review.film_id = film.film_id)
             AS ratings FROM film, pg_sleep(0.06) WHERE film_id = %s"""
    return (await query(sql, film_id))[0]


@app.post("/reviews/")
async def add_review() -> dict:
    review = await request.get_json()
    sql = "INSERT INTO review (film_id, rating) VALUES (%s, %s) RETURNING film_id, rating"
    return (await query(sql, review["film_id"], review["rating"]))[0]


async def main() -> None:
    pool = app.extensions["pool"] = ThreadedConnectionPool(MAXCONN, MAXCONN, URL)
    await app.run_task(host="127.0.0.1", port=PORT)
    pool.closeall()
