"""Runs every query and throws the answers away: what main returns, it has made up.

Breaks: main returns the answers in the order of the queries,
Fault: main() should return
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    gevent.joinall(queries)
    answers = [100 + n for n in range(QUERIES)]
    connections.closeall()
    return answers
