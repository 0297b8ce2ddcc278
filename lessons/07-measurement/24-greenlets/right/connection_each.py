"""A connection for each query, opened by its greenlet: that does not block, either."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
import psycopg2
from psycogreen.gevent import patch_psycopg

QUERIES = 8
QUERY_S = 0.2
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

patch_psycopg()


def query(n: int) -> int:
    """Have the database draw an answer to query n. Leave this function as it is."""
    connection = psycopg2.connect(URL)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s * 1000 + floor(random() * 1000) FROM pg_sleep(%s)", (n, QUERY_S))
            return int(cursor.fetchone()[0])
    finally:
        connection.close()


def main() -> list[int]:
    queries = [gevent.spawn(query, n) for n in range(QUERIES)]
    return [one.get() for one in queries]


if __name__ == "__main__":
    print("answers:", main())
