"""Only the query is another one. It is another one for both servers.

Breaks: Choose settings so that each wins once
Fault: loses: 4 to 12
"""


def async_wins() -> dict[str, int]:
    """The same bounds."""
    return {"workers": 12, "sessions": 4, "delay_ms": 100, "clients": 24}
