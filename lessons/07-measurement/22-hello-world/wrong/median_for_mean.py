"""The law is about the mean; half of the answers may have waited for much longer than the median.

Breaks: audit(rows) returns the names of the rows whose own figures contradict each other
Fault: Flask can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        had_s = row.clients * seconds(row.run)
        waited_s = row.answers * seconds(row.p50) + row.timeouts * TIMEOUT_S
        if abs(waited_s / had_s - 1) > TOLERANCE:
            flagged.append(row.name)
    return flagged
