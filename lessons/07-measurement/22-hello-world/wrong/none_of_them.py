"""Every row is believed.

Breaks: Write audit, which is empty: it finds rows that cannot be true.
Fault: Flask cannot be true, and audit does not name it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    return [row.name for row in rows if row.answers == 0]
