"""The driver asks at each query who waits for it, so main may set that too, after connecting."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
from psycogreen.gevent import patch_psycopg
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
            sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, (QUERY_S * (1 + (n < QUERIES // 2)), FIRST + n))
            return int(cursor.fetchone()[0])
    finally:
        connections.putconn(connection)


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    patch_psycopg()
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers


if __name__ == "__main__":
    print("answers:", main())
