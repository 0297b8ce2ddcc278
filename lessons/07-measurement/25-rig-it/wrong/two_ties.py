"""The clients are the limit of both servers, so neither can win.

Breaks: Choose settings so that each wins once
Fault: That is a tie: 4 and 4, however long a query is
"""


def sync_wins() -> dict[str, int]:
    """Bounds: workers and sessions 2 to 12, delay_ms 50 to 100, clients 2 to 24."""
    return {"workers": 12, "sessions": 6, "delay_ms": 50, "clients": 4}


def async_wins() -> dict[str, int]:
    """The same bounds."""
    return {"workers": 6, "sessions": 12, "delay_ms": 50, "clients": 4}
