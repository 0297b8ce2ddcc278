"""Rows are compared with each other. That says which is fast, not which is true.

Breaks: audit(rows) returns the names of the rows whose own figures contradict each other
Fault: Flask can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    best = max(row.answers / seconds(row.run) for row in rows)
    return [row.name for row in rows if row.answers / seconds(row.run) < best / 10]
