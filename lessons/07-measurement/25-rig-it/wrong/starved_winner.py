"""The winner has more workers than there are clients to use them.

Breaks: The winner must have enough clients to fill all its places.
Fault: you measure the load, not the server
"""


def sync_wins() -> dict[str, int]:
    """Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24."""
    return {"workers": 12, "sessions": 4, "delay_ms": 50, "clients": 8}
