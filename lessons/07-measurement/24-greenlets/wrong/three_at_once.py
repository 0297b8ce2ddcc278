"""A pool of three greenlets.

Breaks: Fix it: all of them wait for the database at the same time
Fault: there were never more than 3
"""

from gevent.pool import Pool


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    answers = list(Pool(3).map(lambda n: query(n, connections), range(QUERIES)))
    connections.closeall()
    return answers
