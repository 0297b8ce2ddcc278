"""If you trust nothing, you learn nothing.

Breaks: Write audit, which is empty: it finds rows that cannot be true.
Fault: Tornado can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    return [row.name for row in rows]
