"""send has been made quicker.

Breaks: Leave this function as it is.
Fault: send() should take at least
"""


def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    time.sleep(takes_ms / 100_000)
    return f"{receipt:06}-{len(image)}"
