"""Right: the pool takes a connection for each statement by itself, and the number is made in the handler."""

import asyncio
import os

import asyncpg
from quart import Quart, request

MAXCONN = 20
PORT = int(os.environ.get("PORT", "8000"))
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Quart("films")


async def query(sql: str, *values: int) -> list[dict]:
    return [dict(row) for row in await app.extensions["pool"].fetch(sql, *values)]


@app.get("/films/<film_id>/")
async def film(film_id: str) -> dict:
    sql = """SELECT title, length, ARRAY(SELECT rating FROM review WHERE review.film_id = film.film_id)
             AS ratings FROM film, pg_sleep(0.06) WHERE film_id = $1"""
    return (await query(sql, int(film_id)))[0]


@app.get("/films/")
async def films() -> list[dict]:
    sql = """SELECT film_id, title, (SELECT count(*) FROM review WHERE review.film_id = film.film_id)
             AS reviews FROM film, pg_sleep(0.06) ORDER BY film_id"""
    return await query(sql)


@app.post("/reviews/")
async def add_review() -> dict:
    review = await request.get_json()
    sql = "INSERT INTO review (film_id, rating) VALUES ($1, $2) RETURNING film_id, rating"
    return (await query(sql, review["film_id"], review["rating"]))[0]


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN) as pool:
        app.extensions["pool"] = pool
        await app.run_task(host="127.0.0.1", port=PORT)


if __name__ == "__main__":
    asyncio.run(main())
