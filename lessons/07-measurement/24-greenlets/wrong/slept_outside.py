"""Sleeps in Python, which gevent knows how to do, and asks the database for nothing that takes long.

Breaks: Ask how long film FIRST + n is; the first half waits longer.
Fault: should wait for the database at the same time
"""

import time

del patch_psycopg


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    connection = connections.getconn()
    try:
        with connection.cursor() as cursor:
            time.sleep(QUERY_S * (1 + (n < QUERIES // 2)))
            cursor.execute("SELECT length FROM film WHERE film_id = %s", (FIRST + n,))
            return int(cursor.fetchone()[0])
    finally:
        connections.putconn(connection)
