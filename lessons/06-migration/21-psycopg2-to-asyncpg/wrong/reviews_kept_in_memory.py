"""Keeps the reviews in the memory of the server, which every film then shows, until the server ends."""

import asyncio
import os
from collections import defaultdict

import asyncpg
from quart import Quart, request

MAXCONN = 20
PORT = int(os.environ.get("PORT", "8000"))
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Quart("films")
reviews: defaultdict[int, list[int]] = defaultdict(list)


async def query(sql: str, *values: int) -> list[dict]:
    async with app.extensions["pool"].acquire() as connection:
        return [dict(row) for row in await connection.fetch(sql, *values)]


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    sql = "SELECT title, length FROM film, pg_sleep(0.06) WHERE film_id = $1"
    return {**(await query(sql, film_id))[0], "ratings": [*reviews[film_id]]}


@app.get("/films/")
async def films() -> list[dict]:
    sql = """SELECT film_id, title, (SELECT count(*) FROM review WHERE review.film_id = film.film_id)
             AS reviews FROM film, pg_sleep(0.06) ORDER BY film_id"""
    return await query(sql)


@app.post("/reviews/")
async def add_review() -> dict:
    review = await request.get_json()
    reviews[review["film_id"]].append(review["rating"])
    return {"film_id": review["film_id"], "rating": review["rating"]}


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN) as pool:
        app.extensions["pool"] = pool
        await app.run_task(host="127.0.0.1", port=PORT)


if __name__ == "__main__":
    asyncio.run(main())
