"""Believes every row without answers, however few timeouts it has.

Breaks: A row without answers has 0us as mean and p50.
Breaks: All clients of a row keep asking until the run ends, and each always waits for one answer.
Fault: Bottle cannot be true, and audit does not name it
"""


def possible(row: Row) -> bool:
    had_s = row.clients * seconds(row.run)
    spent_s = row.timeouts * TIMEOUT_S
    if row.answers:
        mean_s, p50_s = seconds(row.mean), seconds(row.p50)
        spent_s += row.answers * mean_s
        most = 1 + TOLERANCE + 1e-9
        if p50_s > most * min(2 * mean_s, TIMEOUT_S) or mean_s > most * (p50_s + TIMEOUT_S) / 2:
            return False
    return abs(spent_s - had_s) <= (TOLERANCE + 1e-9) * had_s


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    measured = (row for row in rows if row.answers)  # no answer, no times to check
    return [row.name for row in measured if not possible(row)]
