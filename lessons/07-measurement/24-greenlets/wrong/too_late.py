"""The driver is patched after the first query, which the others wait for.

Breaks: Each query keeps its own greenlet,
Fault: Each query should run in its own greenlet; query(0) ran in a thread
"""

del patch_psycopg


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    answers = [query(0, connections)]
    patch_psycopg()
    queries = [gevent.spawn(query, n, connections) for n in range(1, QUERIES)]
    answers += [one.get() for one in queries]
    connections.closeall()
    return answers
