"""Sleeps in Python, which gevent knows how to do, and asks the database for nothing that takes long."""

from gevent import monkey

monkey.patch_all()

import os
import time

import gevent
from psycopg2 import pool

QUERIES = 8
QUERY_S = 0.25
FIRST = 1
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    connection = connections.getconn()
    try:
        with connection.cursor() as cursor:
            time.sleep(QUERY_S * (1 + (n < QUERIES // 2)))
            cursor.execute("SELECT length FROM film WHERE film_id = %s", (FIRST + n,))
            return int(cursor.fetchone()[0])
    finally:
        connections.putconn(connection)


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers


if __name__ == "__main__":
    print("answers:", main())
