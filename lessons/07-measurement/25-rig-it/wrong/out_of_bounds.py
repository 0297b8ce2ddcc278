"""A pool of one session is out of bounds.

Breaks: Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24.
Fault: sessions of sync_wins should be from 2 to 12; it is 1
"""


def sync_wins() -> dict[str, int]:
    """Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24."""
    return {"workers": 4, "sessions": 1, "delay_ms": 50, "clients": 24}
