"""A slow row is not a false one.

Breaks: audit(rows) returns the names of the rows whose own figures contradict each other
Fault: Flask can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    slowest = min(rows, key=lambda row: row.answers / seconds(row.run))
    return [slowest.name]
