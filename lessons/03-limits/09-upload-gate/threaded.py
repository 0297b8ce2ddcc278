"""Fifty uploads share five connections: how many are in flight at the same time, and how long do all take?

Predict the peak and the seconds before you run it:  python threaded.py
"""

import random
import threading
import time

UPLOADS = 50
CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0


def draw_durations() -> list[float]:
    """The seconds each upload will take: drawn first, so that every variant has the same durations."""
    draw = random.Random(SEED)
    return [draw.randint(FASTEST_MS, SLOWEST_MS) / 1000 for _ in range(UPLOADS)]


def upload(n: int, takes_s: float, gate: threading.Semaphore) -> None:
    """Send one image, through one of the connections that the gate gives out."""
    with gate:
        time.sleep(takes_s)


def main() -> None:
    gate = threading.Semaphore(CONNECTIONS)
    threads: list[threading.Thread] = []
    for n, takes_s in enumerate(draw_durations(), start=1):
        threads.append(threading.Thread(target=upload, args=(n, takes_s, gate)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    print(f"{UPLOADS} uploads done")


if __name__ == "__main__":
    main()
