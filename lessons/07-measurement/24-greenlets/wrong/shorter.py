"""All at the same time, and each query sleeps for half as long.

Breaks: Leave this function as it is.
Fault: should take at least
"""


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    connection = connections.getconn()
    try:
        with connection.cursor() as cursor:
            sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, (QUERY_S / 2 * (1 + (n < QUERIES // 2)), FIRST + n))
            return int(cursor.fetchone()[0])
    finally:
        connections.putconn(connection)
