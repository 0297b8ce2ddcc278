"""One row by its key, asked for as a thread or a greenlet does: the call returns when the row is there.

Each call opens a session and closes it: keeping sessions is left to pgbouncer, for all workers together.
"""

import os
import random

import psycopg2

ADDRESS = os.environ.get("DATABASE_URL", "postgresql:///")
DELAY_S = float(os.environ.get("LAB_DELAY_MS", "20")) / 1000
ROWS = 100_000
QUERY = "SELECT a, b FROM pair, pg_sleep(%s) WHERE a = %s"

match os.environ.get("LAB_GREENLETS", ""):  # libpq waits in C, which no patch of Python's sockets reaches
    case "gevent":
        from psycogreen.gevent import patch_psycopg

        patch_psycopg()
    case "meinheld":
        from meinheld_psycopg2 import patch_psycopg

        patch_psycopg()


def row_by_key() -> tuple[int, str]:
    connection = psycopg2.connect(ADDRESS)
    try:
        # As asyncpg does it. Given back within a transaction, the session would be closed by pgbouncer.
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(QUERY, (DELAY_S, random.randint(1, ROWS)))
        number, text = cursor.fetchone()
    finally:
        connection.close()
    return number, text
