"""No pool: each query opens a connection and closes it, in its own greenlet.

Breaks: and all of them take their connections from one pool.
Fault: There should be a psycopg2 pool; none was made
"""

import psycopg2


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
