"""A server of workers, each with its own database session: how many requests does it answer in a second?

Predict it, and who wins, before you run it:  python sync_workers.py
"""

import threading
import time
from collections.abc import Iterator

WORKERS = 4
SESSIONS = 20
DELAY_MS = 100
CLIENTS = 40
REQUESTS = 120

places = threading.Semaphore(WORKERS)


def query() -> None:
    """The database takes its time. Nothing computes."""
    time.sleep(DELAY_MS / 1000)


def request(n: int) -> int:
    """Keep a place until the query is answered."""
    with places:
        query()
    return n


def client(numbers: Iterator[int]) -> None:
    """Send the next request as soon as the last one is answered."""
    for n in numbers:
        request(n)


def main() -> None:
    numbers = iter(range(1, REQUESTS + 1))
    clients = [threading.Thread(target=client, args=(numbers,)) for _ in range(CLIENTS)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    print(f"{REQUESTS} requests are answered")


if __name__ == "__main__":
    main()
