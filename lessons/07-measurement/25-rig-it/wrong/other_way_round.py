"""The two configurations have changed places.

Breaks: The sync server wins.
Breaks: The async server wins.
Fault: loses: 4 to 12
"""


def sync_wins() -> dict[str, int]:
    """Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24."""
    return {"workers": 4, "sessions": 12, "delay_ms": 50, "clients": 24}


def async_wins() -> dict[str, int]:
    """The same bounds."""
    return {"workers": 12, "sessions": 4, "delay_ms": 50, "clients": 24}
