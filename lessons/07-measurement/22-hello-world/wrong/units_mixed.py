"""Every latency is taken for milliseconds.

Breaks: run, mean, p50: durations as the tool prints them;
Fault: Django can be true, and audit names it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""
    return [
        row.name
        for row in rows
        if abs(row.answers * float(row.mean.rstrip("msu")) / 1000 + row.timeouts * TIMEOUT_S - had_s(row))
        > TOLERANCE * had_s(row)
    ]


def had_s(row: Row) -> float:
    return row.clients * seconds(row.run)
