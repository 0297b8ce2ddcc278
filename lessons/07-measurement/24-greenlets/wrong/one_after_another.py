"""The driver is patched, but each greenlet is waited for before the next one is made.

Breaks: Fix it: all of them wait for the database at the same time
Fault: there was never more than 1
"""


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    answers = [gevent.spawn(query, n, connections).get() for n in range(QUERIES)]
    connections.closeall()
    return answers
