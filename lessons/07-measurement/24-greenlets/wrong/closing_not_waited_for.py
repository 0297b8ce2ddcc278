"""Wrong: leaves the closing to a greenlet that nobody waits for, so main returns before that begins."""

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

patch_psycopg()


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
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    try:
        gevent.joinall(queries)
        return [one.get() for one in queries]
    finally:
        gevent.spawn(connections.closeall)  # nobody has to wait for that


if __name__ == "__main__":
    print("answers:", main())
