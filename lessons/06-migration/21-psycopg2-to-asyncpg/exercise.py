"""Three routes were moved from psycopg2 to asyncpg word for word, but the words now mean something else.

Fix them: one pool of at most MAXCONN connections is opened before the first request and closed after the
last, when the server has stopped. Each request asks the database, and answers with what the database holds.
A review is in the database before its client is answered.

Run it alone with:  python 21-psycopg2-to-asyncpg.py
"""

import asyncio
import os

import asyncpg
from quart import Quart, request

MAXCONN = 20
PORT = int(os.environ.get("PORT", "8000"))
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Quart("films")


async def query(sql: str, *values: int | str) -> list[dict]:
    # TODO: how many pools does this make? What becomes of a transaction that nobody ends? What are the rows?
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN) as pool, pool.acquire() as connection:
        await connection.transaction().start()
        rows: list[dict] = await connection.fetch(sql, *values)
        return rows


@app.get("/films/<film_id>/")
async def film(film_id: str) -> dict:
    # TODO: what does a parameter look like, and what is its type?
    sql = """SELECT title, length, ARRAY(SELECT rating FROM review WHERE review.film_id = film.film_id)
             AS ratings FROM film, pg_sleep(0.06) WHERE film_id = %s"""
    return (await query(sql, film_id))[0]


@app.get("/films/")
async def films() -> list[dict]:
    sql = """SELECT film_id, title, (SELECT count(*) FROM review WHERE review.film_id = film.film_id)
             AS reviews FROM film, pg_sleep(0.06) ORDER BY film_id"""
    return await query(sql)


@app.post("/reviews/")
async def add_review() -> dict:
    # TODO: what does a parameter look like?
    review = await request.get_json()
    sql = "INSERT INTO review (film_id, rating) VALUES (%s, %s) RETURNING film_id, rating"
    return (await query(sql, review["film_id"], review["rating"]))[0]


async def main() -> None:
    # TODO: when should the pool be opened, and when should it be closed?
    await app.run_task(host="127.0.0.1", port=PORT)


if __name__ == "__main__":
    asyncio.run(main())
