"""All share one connection, and use it at the same time."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
import psycopg2.extensions
from psycogreen.gevent import patch_psycopg

QUERIES = 8
QUERY_S = 0.25
FIRST = 1
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

patch_psycopg()


def query(n: int, connections: psycopg2.extensions.connection) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    with connections.cursor() as cursor:
        sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
        cursor.execute(sql, (QUERY_S * (1 + (n < QUERIES // 2)), FIRST + n))
        return int(cursor.fetchone()[0])


def main() -> list[int]:
    connections = psycopg2.connect(URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.close()
    return answers


if __name__ == "__main__":
    print("answers:", main())
