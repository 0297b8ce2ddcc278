"""Ten brews of 0.3 s each: how long until the last cup is ready?

Predict the seconds before you run it:  python threaded.py
"""

import threading
import time

BREWS = 10
BREW_S = 0.3


def brew(n: int) -> None:
    """Make one cup. There is nothing to compute, only time to wait."""
    time.sleep(BREW_S)


def main() -> None:
    threads: list[threading.Thread] = []
    for n in range(1, BREWS + 1):
        threads.append(threading.Thread(target=brew, args=(n,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    print(f"{BREWS} cups are ready")


if __name__ == "__main__":
    main()
