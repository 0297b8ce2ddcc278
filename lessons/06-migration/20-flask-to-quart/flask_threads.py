"""Three routes about films, in Flask: what has to change when they move to an event loop?

Predict how many reviews are stored before you run it:  asyncdemo run flask-to-quart --variant flask
"""

import os
import time

from flask import Flask, request
from flask.typing import ResponseReturnValue

FILMS = 50
QUERY_MS = 20
PORT = int(os.environ.get("PORT", "8000"))

app = Flask("films")


def query(film_id: int) -> str | None:
    """Get a film's title from a database; here, only the time that this takes."""
    time.sleep(QUERY_MS / 1000)
    return f"Film {film_id}" if film_id <= FILMS else None


def query_all() -> list[str]:
    time.sleep(QUERY_MS / 1000)
    return [f"Film {film_id}" for film_id in range(1, FILMS + 1)]


def store(film_id: int, rating: int) -> None:
    """Store a review; here, only the time that this takes."""
    time.sleep(QUERY_MS / 1000)


@app.get("/films/<int:film_id>/")
def film(film_id: int) -> ResponseReturnValue:
    title = query(film_id)
    if title is None:
        return {"error": "no such film"}, 404
    return {"id": film_id, "title": title}


@app.get("/films/")
def films() -> ResponseReturnValue:
    return {"films": query_all()}


@app.post("/reviews/")
def add_review() -> ResponseReturnValue:
    review = request.get_json()
    store(review["film_id"], review["rating"])
    return {"stored": review}, 201


def main() -> None:
    app.run(host="127.0.0.1", port=PORT)


if __name__ == "__main__":
    main()
