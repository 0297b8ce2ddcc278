"""The callback that psycogreen sets is a few lines; here they are."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
from gevent.socket import wait_read, wait_write
from psycopg2 import extensions, pool

QUERIES = 8
QUERY_S = 0.25
FIRST = 1
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


def wait(connection: extensions.connection, timeout: float | None = None) -> None:
    while (state := connection.poll()) != extensions.POLL_OK:
        (wait_read if state == extensions.POLL_READ else wait_write)(connection.fileno(), timeout)


extensions.set_wait_callback(wait)


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
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers


if __name__ == "__main__":
    print("answers:", main())
