"""Two threads move money, each in the other's direction."""

import threading
import time

left = threading.Lock()
right = threading.Lock()


def there() -> None:
    with left:
        time.sleep(0.1)
        with right:
            print("there")


def back() -> None:
    with left:
        time.sleep(0.1)
        with right:
            print("back")


if __name__ == "__main__":
    for move in (there, back):
        threading.Thread(target=move).start()
