"""Six orders are counted on one slip, then as many cups are made: how many cups?

Predict the number of cups before you run it:  python threaded.py
"""

import threading
import time

ORDERS = 6
WAIT_AT = 2
WAIT_S = 0.1
LISTEN_S = 0.2

slip = {"cups": 0}


def count(n: int) -> None:
    """Read the number on the slip, add one, write it back; and wait at one of three places."""
    if WAIT_AT == 1:
        time.sleep(WAIT_S)
    seen = slip["cups"]
    if WAIT_AT == 2:
        time.sleep(WAIT_S)
    slip["cups"] = seen + 1
    if WAIT_AT == 3:
        time.sleep(WAIT_S)


def order(n: int, slip_is_free: threading.Lock) -> None:
    """Listen to the guest, then count the order."""
    time.sleep(LISTEN_S)
    with slip_is_free:
        count(n)


def cup(n: int) -> None:
    """Make one cup."""
    time.sleep(WAIT_S)


def main() -> None:
    slip_is_free = threading.Lock()
    orders = [threading.Thread(target=order, args=(n, slip_is_free)) for n in range(1, ORDERS + 1)]
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
