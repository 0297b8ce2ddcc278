"""Wrong: every latency is taken for milliseconds."""

from dataclasses import dataclass

TABLE = """
Flask    200  2m   41559  103.07ms   96.45ms  1197
Tornado  200  2m  209244  114.38ms  113.87ms     0
Klein    200  2m  196434  121.04ms  119.76ms     0
Sanic    200  2m  589355   40.47ms   38.91ms     0
"""
TIMEOUT_S = 2.0
TOLERANCE = 0.1
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


@dataclass(frozen=True)
class Row:
    """clients: connections in use all the time, a closed loop. answers: requests that were answered.

    run, mean, p50: durations as the tool prints them; mean and p50 are of the answers. timeouts: requests
    without an answer.
    """

    name: str
    clients: int
    run: str
    answers: int
    mean: str
    p50: str
    timeouts: int


def seconds(text: str) -> float:
    """Convert to seconds: "103.07ms" is 0.10307."""
    number = text.rstrip("msu")
    return float(number) * UNITS[text[len(number) :]]


def read(table: str) -> list[Row]:
    rows = [line.split() for line in table.splitlines() if line.strip()]
    return [Row(a, int(b), c, int(d), e, f, int(g)) for a, b, c, d, e, f, g in rows]


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


def main() -> list[str]:
    return audit(read(TABLE))


if __name__ == "__main__":
    print(main())
