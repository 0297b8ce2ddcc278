"""In threads, and nothing is patched: there the driver may block. But these are no greenlets.

Breaks: Each query keeps its own greenlet,
Fault: Each query should run in its own greenlet; query(0) ran in a thread
"""

from concurrent.futures import ThreadPoolExecutor

del monkey.patch_all
del patch_psycopg


def main() -> list[int]:
    connections = pool.ThreadedConnectionPool(QUERIES, QUERIES, URL)
    with ThreadPoolExecutor(QUERIES) as threads:
        answers = list(threads.map(lambda n: query(n, connections), range(QUERIES)))
    connections.closeall()
    return answers
