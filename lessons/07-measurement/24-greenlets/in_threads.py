"""Queries in threads, by psycopg2: how many does PostgreSQL run at the same time?

Predict the peak and the seconds before you run it:  python in_threads.py
"""

# Nothing is patched here.

# A thread that waits holds up no other thread.

import os
from concurrent.futures import ThreadPoolExecutor

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
    with ThreadPoolExecutor(QUERIES) as threads:
        queries = [threads.submit(query, n, connections) for n in range(QUERIES)]
        answers = [one.result() for one in queries]
    connections.closeall()
    print(f"{len(answers)} answers")


if __name__ == "__main__":
    main()
