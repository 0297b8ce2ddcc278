"""The right names, sorted, which is not the order of the table.

Breaks: in the order of the table
Fault: audit() should return
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = set()
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = row.answers * seconds(row.mean) + row.timeouts * TIMEOUT_S
        if abs(waited_s / had_s - 1) > TOLERANCE:
            flagged.add(row.name)
    return sorted(flagged)
