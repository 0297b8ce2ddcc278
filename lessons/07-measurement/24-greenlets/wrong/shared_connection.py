"""All share one connection, and use it at the same time."""

from gevent import monkey

monkey.patch_all()

import os

import gevent
import psycopg2.extensions
from psycogreen.gevent import patch_psycopg

QUERIES = 8
QUERY_S = 0.2
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")

patch_psycopg()


def query(n: int, connections: psycopg2.extensions.connection) -> int:
    """Have the database draw an answer to query n. Leave this function as it is."""
    with connections.cursor() as cursor:
        cursor.execute("SELECT %s * 1000 + floor(random() * 1000) FROM pg_sleep(%s)", (n, QUERY_S))
        return int(cursor.fetchone()[0])


def main() -> list[int]:
    connections = psycopg2.connect(URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.close()
    return answers


if __name__ == "__main__":
    print("answers:", main())
