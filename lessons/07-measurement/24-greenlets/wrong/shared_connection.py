"""All share one connection, and use it at the same time.

Breaks: Leave this function as it is.
Fault: execute cannot be used while an asynchronous query is underway
"""

import psycopg2.extensions


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
