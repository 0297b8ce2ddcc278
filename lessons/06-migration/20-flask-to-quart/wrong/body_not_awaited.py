"""Wrong: what get_json gives here is a coroutine, and has no film_id."""

import asyncio
import os
from typing import Any

from quart import Quart, request
from quart.typing import ResponseReturnValue

FILMS = 50
QUERY_MS = 200
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("films")


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    await asyncio.sleep(QUERY_MS / 1000)
    return f"Film {film_id}" if film_id <= FILMS else None


async def store(film_id: int, rating: int) -> None:
    """Store a review in the database; here, only the time that this takes. Leave it as it is."""
    await asyncio.sleep(QUERY_MS / 1000)


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> ResponseReturnValue:
    title = await query(film_id)
    if title is None:
        return {"error": "no such film"}, 404
    return {"id": film_id, "title": title}


@app.post("/reviews/")
async def add_review() -> ResponseReturnValue:
    review: Any = request.get_json()
    await store(review["film_id"], review["rating"])
    return {"stored": review}, 201


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
