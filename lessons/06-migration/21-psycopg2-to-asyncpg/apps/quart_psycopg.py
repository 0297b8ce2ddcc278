"""Films by Quart alone: with psycopg instead of asyncpg, and on asyncio's own loop.

Served by:  uvicorn --loop asyncio quart_psycopg:app
"""

import os
from collections.abc import AsyncGenerator

from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from quart import Quart, request

MAXCONN = int(os.environ.get("LAB_POOL", "20"))
MINCONN = 1
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Quart("films")


@app.while_serving
async def opened() -> AsyncGenerator[None]:
    rows = {"row_factory": dict_row}
    async with AsyncConnectionPool(URL, min_size=MINCONN, max_size=MAXCONN, kwargs=rows) as pool:
        app.extensions["pool"] = pool
        yield


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    async with app.extensions["pool"].connection() as connection:
        sql = "SELECT film_id, release_year, title FROM film WHERE film_id = %s"
        cursor = await connection.execute(sql, [film_id])
        return dict(await cursor.fetchone() or {})


@app.get("/films/")
async def films() -> dict:
    async with app.extensions["pool"].connection() as connection:
        rows = await connection.execute("SELECT film_id, release_year, title FROM film")
        return {
            row["film_id"]: {"title": row["title"], "release_year": row["release_year"]} async for row in rows
        }


@app.post("/reviews/")
async def add_review() -> dict:
    review = await request.get_json()
    async with app.extensions["pool"].connection() as connection:
        sql = "INSERT INTO review (film_id, rating) VALUES (%s, %s)"
        await connection.execute(sql, [review["film_id"], review["rating"]])
    return {"film_id": review["film_id"], "rating": review["rating"]}
