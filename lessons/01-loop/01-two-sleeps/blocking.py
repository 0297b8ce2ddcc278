"""Ten brews of 0.3 s each: how long until the last cup is ready?

Predict the seconds before you run it:  python blocking.py
"""

import time

BREWS = 10
BREW_S = 0.3


def brew(n: int) -> None:
    """Make one cup. There is nothing to compute, only time to wait."""
    time.sleep(BREW_S)


def main() -> None:
    for n in range(1, BREWS + 1):
        brew(n)
    print(f"{BREWS} cups are ready")


if __name__ == "__main__":
    main()
