"""There may be no false row, or two of them.

Breaks: audit(rows) returns the names of the rows whose own figures contradict each other
Fault: Falcon cannot be true, and audit does not name it
"""


def audit(rows: list[Row]) -> list[str]:
    """Return the names of the rows that cannot be true."""

    def gap(row: Row) -> float:
        waited_s = row.answers * seconds(row.mean) + row.timeouts * TIMEOUT_S
        return abs(waited_s / (row.clients * seconds(row.run)) - 1)

    return [max(rows, key=gap).name]
