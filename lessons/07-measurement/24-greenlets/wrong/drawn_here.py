"""Waits for the database, but draws each answer in Python.

Breaks: Leave this function as it is.
Fault: should return what the database says
"""

import random


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    connection = connections.getconn()
    try:
        with connection.cursor() as cursor:
            sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, (QUERY_S * (1 + (n < QUERIES // 2)), FIRST + n))
            return random.randint(40, 180)
    finally:
        connections.putconn(connection)
