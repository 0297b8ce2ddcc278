"""Leaves the closing to a greenlet that nobody waits for, so main returns before that begins.

Breaks: once its connections are closed.
Fault: The connections should be closed before main returns
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    try:
        gevent.joinall(queries)
        return [one.get() for one in queries]
    finally:
        gevent.spawn(connections.closeall)  # nobody has to wait for that
