"""Where every row can be true it returns None, which is no empty list.

Breaks: or an empty list if there are none.
Fault: it returned None
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = row.answers * seconds(row.mean) + row.timeouts * TIMEOUT_S
        if abs(waited_s / had_s - 1) > TOLERANCE:
            flagged.append(row.name)
    return flagged or None  # type: ignore[return-value]
