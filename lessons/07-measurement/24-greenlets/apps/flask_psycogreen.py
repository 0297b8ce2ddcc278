"""A film from PostgreSQL, which takes its time, by Flask and psycopg2, patched to let others run.

Served by:  gunicorn -k gevent flask_psycogreen:app
"""

import os
import queue

import psycopg2
from flask import Flask
from psycogreen.gevent import patch_psycopg

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "20")) / 1000
POOL = int(os.environ.get("LAB_POOL", "20"))
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

patch_psycopg()

app = Flask("films")
connections: queue.Queue = queue.Queue()  # who finds it empty waits; psycopg2's own pool would raise
for _ in range(POOL):
    connection = psycopg2.connect(URL)
    connection.autocommit = True
    connections.put(connection)


@app.get("/films/<int:film_id>/")
def film(film_id: int) -> dict:
    connection = connections.get()
    try:
        with connection.cursor() as cursor:
            sql = "SELECT title FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, [DELAY_S, film_id])
            found = cursor.fetchone()
    finally:
        connections.put(connection)
    return {"title": found[0]} if found else {}
