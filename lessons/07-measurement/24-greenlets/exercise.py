"""Eight queries to PostgreSQL, each in its own greenlet, and still they run one after another.

Fix it: all of them wait for the database at the same time, nothing blocks the hub, and main returns the
answers in the order of the queries. Each query keeps its own greenlet.

Run it alone with:  python 24-greenlets.py
"""

from gevent import monkey

monkey.patch_all()

import os

import gevent
from psycopg2 import pool

QUERIES = 8
QUERY_S = 0.2
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

# TODO: the standard library now lets other greenlets run while it waits. What doesn't?


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Have the database draw an answer to query n. Leave this function as it is."""
    connection = connections.getconn()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s * 1000 + floor(random() * 1000) FROM pg_sleep(%s)", (n, QUERY_S))
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
