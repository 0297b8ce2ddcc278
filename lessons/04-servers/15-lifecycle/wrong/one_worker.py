"""With one worker there is one pool. But the number of workers is not ours to choose.

Breaks: Each worker process opens one pool
Breaks: Open the pool of this worker.
Fault: should call open_redis once
"""


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
