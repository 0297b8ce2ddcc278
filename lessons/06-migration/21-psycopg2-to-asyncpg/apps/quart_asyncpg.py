"""Films by Quart and asyncpg, with the pool and the transactions of the article.

Served as there, on uvloop:  uvicorn --loop uvloop quart_asyncpg:app
"""

import os
from collections.abc import AsyncGenerator

import asyncpg
from quart import Quart, request

MAXCONN = int(os.environ.get("LAB_POOL", "20"))
MINCONN = 1
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Quart("films")


@app.while_serving
async def opened() -> AsyncGenerator[None]:
    async with asyncpg.create_pool(URL, min_size=MINCONN, max_size=MAXCONN) as pool:
        app.extensions["pool"] = pool
        yield


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    async with app.extensions["pool"].acquire() as connection, connection.transaction():
        sql = "SELECT film_id, release_year, title FROM film WHERE film_id = $1"
        return dict(await connection.fetchrow(sql, film_id) or {})


@app.get("/films/")
async def films() -> dict:
    async with app.extensions["pool"].acquire() as connection, connection.transaction():
        rows = connection.cursor("SELECT film_id, release_year, title FROM film")
        return {
            row["film_id"]: {"title": row["title"], "release_year": row["release_year"]} async for row in rows
        }


@app.post("/reviews/")
async def add_review() -> dict:
    review = await request.get_json()
    async with app.extensions["pool"].acquire() as connection:
        sql = "INSERT INTO review (film_id, rating) VALUES ($1, $2)"
        await connection.execute(sql, review["film_id"], review["rating"])
    return {"film_id": review["film_id"], "rating": review["rating"]}
