"""Half as many greenlets, and each of them runs two queries, one after the other.

Breaks: Fix it: all of them wait for the database at the same time
Fault: there were never more than 4
"""


def two(n: int, connections: pool.ThreadedConnectionPool) -> list[int]:
    return [query(m, connections) for m in range(n, min(n + 2, QUERIES))]


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(two, n, connections) for n in range(0, QUERIES, 2)]
    answers = [answer for both in queries for answer in both.get()]
    connections.closeall()
    return answers
