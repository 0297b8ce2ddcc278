"""Queries in greenlets, by psycopg2: how many does PostgreSQL run at the same time?

Predict the peak and the seconds before you run it:  python unpatched.py
"""

from gevent import monkey

monkey.patch_all()

import os

import gevent
from psycopg2 import pool

QUERIES = 10
QUERY_S = 0.2
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    connection = connections.getconn()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s FROM pg_sleep(%s)", (n, QUERY_S))
            return int(cursor.fetchone()[0])
    finally:
        connections.putconn(connection)


def main() -> None:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.closeall()
    print(f"{len(answers)} answers")


if __name__ == "__main__":
    main()
