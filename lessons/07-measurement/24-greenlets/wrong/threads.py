"""In threads, and nothing is patched: there the driver may block. But these are no greenlets."""

import os
from concurrent.futures import ThreadPoolExecutor

from psycopg2 import pool

QUERIES = 8
QUERY_S = 0.2
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


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
    with ThreadPoolExecutor(QUERIES) as threads:
        answers = list(threads.map(lambda n: query(n, connections), range(QUERIES)))
    connections.closeall()
    return answers


if __name__ == "__main__":
    print("answers:", main())
