"""Returns the answers in the order in which they come.

Breaks: main returns the answers in the order of the queries,
Fault: main() should return
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.value for one in gevent.iwait(queries)]
    connections.closeall()
    return answers
