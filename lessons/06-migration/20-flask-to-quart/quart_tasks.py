"""Three routes about films, in Quart: what has to change when they move to an event loop?

Predict how many reviews are stored before you run it:  asyncdemo run flask-to-quart --variant quart
"""

import asyncio
import os

from quart import Quart, request
from quart.typing import ResponseReturnValue

FILMS = 50
QUERY_MS = 20
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("films")


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    await asyncio.sleep(QUERY_MS / 1000)
    return f"Film {film_id}" if film_id <= FILMS else None


async def query_all() -> list[str]:
    await asyncio.sleep(QUERY_MS / 1000)
    return [f"Film {film_id}" for film_id in range(1, FILMS + 1)]


async def store(film_id: int, rating: int) -> None:
    """Store a review; here, only the time that this takes."""
    await asyncio.sleep(QUERY_MS / 1000)


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> ResponseReturnValue:
    title = await query(film_id)
    if title is None:
        return {"error": "no such film"}, 404
    return {"id": film_id, "title": title}


@app.get("/films/")
async def films() -> ResponseReturnValue:
    return {"films": await query_all()}


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review = await request.get_json()
    await store(review["film_id"], review["rating"])
    return {"stored": review}, 201


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
