"""Four orders are tallied on one slip, and then as many cups are made: how many cups?

Predict the number of cups before you run it:  python threaded.py
"""

import threading
import time

ORDERS = 4
LISTEN_S = 0.1
WAIT_S = 0.25
WAIT_AT = 2

slip = {"cups": 0}


def tally(n: int) -> None:
    """Add one to the number on the slip, and wait at one of three places."""
    if WAIT_AT == 1:
        time.sleep(WAIT_S)
    seen = slip["cups"]
    if WAIT_AT == 2:
        time.sleep(WAIT_S)
    slip["cups"] = seen + 1
    if WAIT_AT == 3:
        time.sleep(WAIT_S)


def order(n: int, lock: threading.Lock) -> None:
    """Listen to a guest, LISTEN_S longer than to the one before, and then tally the order."""
    time.sleep(n * LISTEN_S)
    with lock:
        tally(n)


def cup(n: int) -> None:
    """Make one cup."""
    time.sleep(WAIT_S)


def main() -> None:
    lock = threading.Lock()
    orders = [threading.Thread(target=order, args=(n, lock)) for n in range(1, ORDERS + 1)]
    for thread in orders:
        thread.start()
    for thread in orders:
        thread.join()
    cups = [threading.Thread(target=cup, args=(n,)) for n in range(1, slip["cups"] + 1)]
    for thread in cups:
        thread.start()
    for thread in cups:
        thread.join()
    print(f"{ORDERS} orders, {slip['cups']} cups")


if __name__ == "__main__":
    main()
