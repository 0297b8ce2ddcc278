"""Nobody can have waited for longer than there was time, either.

Breaks: they may be too small or too large.
Fault: Gevent cannot be true, and audit does not name it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = row.answers * seconds(row.mean) + row.timeouts * TIMEOUT_S
        if waited_s < had_s * (1 - TOLERANCE):
            flagged.append(row.name)
    return flagged
