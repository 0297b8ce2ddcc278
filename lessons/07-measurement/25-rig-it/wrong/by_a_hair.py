"""One session more is no clear margin.

Breaks: at least 1.5 times as fast.
Fault: wins, but only by 1.25
"""


def sync_wins() -> dict[str, int]:
    """Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24."""
    return {"workers": 5, "sessions": 4, "delay_ms": 50, "clients": 24}


def async_wins() -> dict[str, int]:
    """The same bounds."""
    return {"workers": 4, "sessions": 5, "delay_ms": 50, "clients": 24}
