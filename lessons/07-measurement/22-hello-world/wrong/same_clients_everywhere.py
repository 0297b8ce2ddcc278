"""The setting of the published table is taken for that of every table.

Breaks: All clients of a row keep asking until the run ends, and each always waits for one answer.
Fault: can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    flagged = []
    for row in rows:
        waited_s = row.answers * seconds(row.mean) + row.timeouts * TIMEOUT_S
        if abs(waited_s / (200 * 120) - 1) > TOLERANCE:
            flagged.append(row.name)
    return flagged
