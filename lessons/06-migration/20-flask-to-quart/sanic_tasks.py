"""Three routes about films, in Sanic: what has to change when they move to an event loop?

Predict how many reviews are stored before you run it:  asyncdemo run flask-to-quart --variant sanic
"""

import asyncio
import os

from sanic import HTTPResponse, Request, Sanic, json

FILMS = 50
QUERY_MS = 20
PORT = int(os.environ.get("PORT", "8000"))

app = Sanic("films")


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


@app.get("/films/<film_id:int>/")
async def film(request: Request, film_id: int) -> HTTPResponse:
    title = await query(film_id)
    if title is None:
        return json({"error": "no such film"}, status=404)
    return json({"id": film_id, "title": title})


@app.get("/films/")
async def films(request: Request) -> HTTPResponse:
    return json({"films": await query_all()})


@app.post("/reviews/")
async def add_review(request: Request) -> HTTPResponse:
    review = request.json
    await store(review["film_id"], review["rating"])
    return json({"stored": review}, status=201)


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)


if __name__ == "__main__":
    main()
