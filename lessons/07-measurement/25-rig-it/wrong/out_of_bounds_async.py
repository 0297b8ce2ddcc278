"""A query of 500 ms is out of bounds.

Breaks: The bounds are the same.
Fault: delay_ms of async_wins should be from 50 to 100; it is 500
"""


def async_wins() -> dict[str, int]:
    """The same bounds."""
    return {"workers": 4, "sessions": 12, "delay_ms": 500, "clients": 24}
