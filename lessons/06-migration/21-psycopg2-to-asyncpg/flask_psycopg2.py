"""Films from PostgreSQL, by psycopg2: how many connections are opened, and do the reviews arrive?

Predict both before you run it:  asyncdemo run psycopg2-to-asyncpg --variant psycopg2
"""

import os

from flask import Flask, request
from psycopg2 import extras, pool

MINCONN = 1
MAXCONN = 20
PORT = int(os.environ.get("PORT", "8000"))
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

app = Flask("films")


def query(sql: str, *values: int) -> list[dict]:
    connection = app.extensions["pool"].getconn()
    try:
        with connection.cursor(cursor_factory=extras.RealDictCursor) as cursor:
            cursor.execute(sql, values)
            return [dict(row) for row in cursor]
    finally:
        app.extensions["pool"].putconn(connection)


def stars(ratings: list[int]) -> float:
    return sum(ratings) / len(ratings)


@app.get("/films/<int:film_id>/")
def film(film_id: int) -> dict:
    sql = """SELECT title, length, ARRAY(SELECT rating FROM review WHERE review.film_id = film.film_id)
             AS ratings FROM film, pg_sleep(0.06) WHERE film_id = %s"""
    row = query(sql, film_id)[0]
    return row | {"stars": stars(row["ratings"])} if row["ratings"] else row


@app.get("/films/")
def films() -> list[dict]:
    return query("SELECT film_id, title FROM film, pg_sleep(0.06) ORDER BY film_id")


@app.post("/reviews/")
def add_review() -> dict:
    review = request.get_json()
    sql = "INSERT INTO review (film_id, rating) VALUES (%s, %s) RETURNING film_id, rating"
    return query(sql, review["film_id"], review["rating"])[0]


def main() -> None:
    app.extensions["pool"] = pool.ThreadedConnectionPool(MINCONN, MAXCONN, URL)
    app.run(host="127.0.0.1", port=PORT)
    app.extensions["pool"].closeall()


if __name__ == "__main__":
    main()
