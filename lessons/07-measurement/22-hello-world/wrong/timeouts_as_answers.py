"""A client that gave up did not wait as long as an answer takes, but until the timeout.

Breaks: A request that timed out was given up after TIMEOUT_S, and its client asked again.
Fault: Flask can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = (row.answers + row.timeouts) * seconds(row.mean)
        if abs(waited_s / had_s - 1) > TOLERANCE:
            flagged.append(row.name)
    return flagged
