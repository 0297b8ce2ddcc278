"""Fifty waiters, each a thread: how much memory do they reserve, and how much of it do they use?

Predict both before you run it:  python threads.py
"""

import threading
import time

WAITERS = 50
KEEPS_KIB = 0
STACK_KIB = 0
EVERY_S = 0.01
HOLD_S = 0.5


def wait(n: int, gate: threading.Event) -> None:
    """Fill the memory that this waiter keeps for its work, then wait until the gate opens."""
    kept = b"." * (KEEPS_KIB * 1024)
    gate.wait()
    del kept


def main() -> None:
    gate = threading.Event()
    waiters: list[threading.Thread] = []
    threading.stack_size(STACK_KIB * 1024)
    for n in range(1, WAITERS + 1):
        waiters.append(threading.Thread(target=wait, args=(n, gate)))
        waiters[-1].start()
        time.sleep(EVERY_S)
    time.sleep(HOLD_S)
    gate.set()
    for waiter in waiters:
        waiter.join()
    print(f"{WAITERS} waiters are done")


if __name__ == "__main__":
    main()
