"""The driver is patched, but main collects the answers from the last query to the first.

Breaks: main returns the answers in the order of the queries,
Fault: main() should return
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in reversed(queries)]
    connections.closeall()
    return answers
