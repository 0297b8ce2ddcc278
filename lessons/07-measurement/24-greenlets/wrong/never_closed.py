"""All is well, but that main leaves its connections open.

Breaks: once its connections are closed.
Fault: psycopg2 pool should be closed at the end
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    return [one.get() for one in queries]
