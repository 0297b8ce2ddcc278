"""Makes only half of the queries.

Breaks: Fix it: all of them wait for the database at the same time
Fault: There should be 8 queries; there were 4
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES // 2)]
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers
