"""The driver is patched, but nothing is spawned.

Breaks: Each query keeps its own greenlet,
Fault: Each query should run in its own greenlet; query(0) ran in a thread
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    answers = [query(n, connections) for n in range(QUERIES)]
    connections.closeall()
    return answers
