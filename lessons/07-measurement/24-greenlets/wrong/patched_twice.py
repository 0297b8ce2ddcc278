"""Patches the standard library once more, and all of it. The driver waits in C, where nothing of that is.

Breaks: none of them blocks the hub.
Fault: No step may hold the hub longer than 50 ms
"""

del patch_psycopg


def main() -> list[int]:
    monkey.patch_all(sys=True, aggressive=True)
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    queries = [gevent.spawn(query, n, connections) for n in range(QUERIES)]
    answers = [one.get() for one in queries]
    connections.closeall()
    return answers
