"""It knows the published table by heart.

Breaks: audit(rows) returns the names of the rows whose own figures contradict each other
Fault: Flask can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    return [row.name for row in rows if row.name == "Flask"]
