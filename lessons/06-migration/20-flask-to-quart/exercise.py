"""This app was moved from Flask to Quart, but not all the way. Some requests fail, and the others queue up.

Finish the move. The functions keep their names. The answers are the same as before: 200 for a film, 404 for
one that is not there, and 201 for a review. Each request for a film looks it up with query, which takes as
long as it did. Each review is stored with store, once and as it was sent, before its request is answered. All
requests are under way at the same time, and so are the queries: all of them or, in threads, at least four.
Nothing blocks the event loop.

Run it alone with:  python 20-flask-to-quart.py
"""

import asyncio
import os
import time
from typing import Any

from quart import Quart, request
from quart.typing import ResponseReturnValue

FILMS = 50
QUERY_MS = 200
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("films")


async def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    time.sleep(QUERY_MS / 1000)  # TODO: what else can run meanwhile?
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
    review: Any = request.get_json()  # TODO: what is this, before the body arrives?
    _ = store(review["film_id"], review["rating"])  # TODO: is it stored before the answer?
    return {"stored": review}, 201


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
