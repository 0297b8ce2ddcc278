"""Each query takes a connection of the pool, gives it back, and asks with its own.

Breaks: and all of them take their connections from one pool.
Fault: Each query should use the connection that it takes from the pool
"""

import psycopg2


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    connection = psycopg2.connect(URL)
    connections.putconn(connections.getconn())
    try:
        with connection.cursor() as cursor:
            sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, (QUERY_S * (1 + (n < QUERIES // 2)), FIRST + n))
            return int(cursor.fetchone()[0])
    finally:
        connection.close()
