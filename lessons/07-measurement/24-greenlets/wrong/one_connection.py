"""All share one connection, which can do one thing at a time.

Breaks: Fix it: all of them wait for the database at the same time
Fault: there were never more than 1
"""

from gevent.lock import BoundedSemaphore

one_at_a_time = BoundedSemaphore(1)


def query(n: int, connections: pool.ThreadedConnectionPool) -> int:
    """Ask how long film FIRST + n is; the first half waits longer. Leave this function as it is."""
    with one_at_a_time:
        connection = connections.getconn()
        with connection.cursor() as cursor:
            sql = "SELECT length FROM film, pg_sleep(%s) WHERE film_id = %s"
            cursor.execute(sql, (QUERY_S * (1 + (n < QUERIES // 2)), FIRST + n))
            answer = int(cursor.fetchone()[0])
        connections.putconn(connection)
    return answer


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(1, 1, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers
