"""The pool is one of threads.

Breaks: one ProcessPoolExecutor,
Fault: computed in a thread of the server
"""

from concurrent.futures import ThreadPoolExecutor


def main() -> None:
    with ThreadPoolExecutor(2) as app.ctx.pool:
        app.run(host="127.0.0.1", port=PORT, single_process=True)
