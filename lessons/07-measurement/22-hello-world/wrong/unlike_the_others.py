"""Names the rows that are unlike most others, which may be the true ones.

Breaks: audit(rows) returns the names of the rows whose own figures contradict each other
Fault: can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    import statistics

    f = {
        id(r): (r.answers * seconds(r.mean) + r.timeouts * TIMEOUT_S) / (r.clients * seconds(r.run))
        for r in rows
    }
    m = statistics.median(f.values()) if f else 1
    return [r.name for r in rows if abs(f[id(r)] / m - 1) > TOLERANCE]
