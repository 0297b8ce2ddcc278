"""All share one connection, which can do one thing at a time."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
from gevent.lock import BoundedSemaphore
from psycogreen.gevent import patch_psycopg
from psycopg2 import pool

QUERIES = 8
QUERY_S = 0.2
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

patch_psycopg()
one_at_a_time = BoundedSemaphore(1)


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Have the database draw an answer to query n. Leave this function as it is."""
    with one_at_a_time:
        connection = connections.getconn()
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s * 1000 + floor(random() * 1000) FROM pg_sleep(%s)", (n, QUERY_S))
            answer = int(cursor.fetchone()[0])
        connections.putconn(connection)
    return answer


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(1, 1, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers


if __name__ == "__main__":
    print("answers:", main())
