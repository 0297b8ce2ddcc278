"""A row with timeouts may be a bad result and still be true.

Breaks: A request that timed out was given up after TIMEOUT_S, and its client asked again.
Fault: Starlette cannot be true, and audit does not name it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    return [row.name for row in rows if row.timeouts]
