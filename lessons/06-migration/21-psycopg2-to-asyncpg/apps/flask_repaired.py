"""Films by Flask and psycopg2: the pool keeps its connections, and what was written is committed.

Served by a worker that patches psycopg2 by itself:  gunicorn -k eventlet flask_repaired:app
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, request
from psycopg2 import extras, pool

MAXCONN = int(os.environ.get("LAB_POOL", "20"))
MINCONN = MAXCONN
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Flask("films")
rows = {"cursor_factory": extras.RealDictCursor}
app.extensions["pool"] = pool.ThreadedConnectionPool(MINCONN, MAXCONN, URL, **rows)


@contextmanager
def acquired() -> Iterator[extras.RealDictCursor]:
    connection = app.extensions["pool"].getconn()
    try:
        with connection.cursor() as cursor:
            yield cursor
        connection.commit()
    finally:
        app.extensions["pool"].putconn(connection)


@app.get("/films/<int:film_id>/")
def film(film_id: int) -> dict:
    with acquired() as cursor:
        cursor.execute("SELECT film_id, release_year, title FROM film WHERE film_id = %s", [film_id])
        return dict(cursor.fetchone() or {})


@app.get("/films/")
def films() -> dict:
    with acquired() as cursor:
        cursor.execute("SELECT film_id, release_year, title FROM film")
        return {
            row["film_id"]: {"title": row["title"], "release_year": row["release_year"]} for row in cursor
        }


@app.post("/reviews/")
def add_review() -> dict:
    review = request.get_json()
    with acquired() as cursor:
        sql = "INSERT INTO review (film_id, rating) VALUES (%s, %s)"
        cursor.execute(sql, [review["film_id"], review["rating"]])
    return {"film_id": review["film_id"], "rating": review["rating"]}
