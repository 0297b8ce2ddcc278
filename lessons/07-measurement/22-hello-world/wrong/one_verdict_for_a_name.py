"""Keeps a verdict for each name, so of two rows with the same name the later one decides.

Breaks: Two rows may have the same name.
Fault: Gevent cannot be true, and audit does not name it
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
    verdicts = {row.name: possible(row) for row in rows}
    return [name for name, true in verdicts.items() if not true]
