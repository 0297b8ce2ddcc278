"""A client that waits for nothing waits, too.

Breaks: A request that timed out was given up after TIMEOUT_S, and its client asked again.
Fault: can be true, and audit names it: together its clients had
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = row.answers * seconds(row.mean)
        if abs(waited_s / had_s - 1) > TOLERANCE:
            flagged.append(row.name)
    return flagged
