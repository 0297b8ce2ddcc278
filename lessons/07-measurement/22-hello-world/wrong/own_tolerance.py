"""Figures may differ by as much as its author thinks right, whatever TOLERANCE says.

Breaks: Figures agree if they differ by at most TOLERANCE, as a share;
Fault: Falcon cannot be true, and audit does not name it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = row.answers * seconds(row.mean) + row.timeouts * TIMEOUT_S
        if abs(waited_s / had_s - 1) > 0.25:
            flagged.append(row.name)
    return flagged
