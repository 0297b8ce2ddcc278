"""Wrong: no pool: each query opens a connection and closes it, in its own greenlet."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
import psycopg2
from psycogreen.gevent import patch_psycopg

QUERIES = 8
QUERY_S = 0.25
FIRST = 1
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

patch_psycopg()


def query(n: int) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    connection = psycopg2.connect(URL)
    try:
        with connection.cursor() as cursor:
            sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, (QUERY_S * (1 + (n < QUERIES // 2)), FIRST + n))
            return int(cursor.fetchone()[0])
    finally:
        connection.close()


def main() -> list[int]:
    queries = [gevent.spawn(query, n) for n in range(QUERIES)]
    return [one.get() for one in queries]


if __name__ == "__main__":
    print("answers:", main())
