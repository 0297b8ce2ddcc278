"""The few figures that a user asks for, read from the full tables.

Not for measuring, and not for writing: ``__main__`` does both.
"""

from __future__ import annotations

from typing import Final

from benchmarks.table import markdown_table

HEADLINES: Final = {
    "wall time of a lesson's program": "wall time of a lesson's program, × the bare script",
    "CPU while 2,000 tasks × 50 `sleep(0)` run, × the bare script": (
        "CPU of a program that does nothing but switch tasks, × the bare script"
    ),
    "more CPU a step of a task": "CPU that recording adds to one step of a task",
    "cProfile": "the same program under cProfile, CPU × the bare script",
    "VizTracer": "the same program under VizTracer, CPU × the bare script",
    "memory of a recorded run, a step": "memory of a recorded step",
    "`asyncdemo list`, × `python -c": "`asyncdemo list`, × importing `rich.console`",
    "from a save to the verdict: two runs, which pass": "from saving an exercise to its pass",
    "live view of 10,000 lanes": "live view of 10,000 lanes",
    "key to repaint, 10,000 rows: zoom in": "from a key to the new picture, 10,000 rows",
    "`between-awaits`: its solution in 50 schedules": "50 schedules of one exercise",
    "the heaviest lesson's page": "heaviest page of a lesson, with everything it loads",
    "Python in a page, loaded": "Python in a page, from nothing to the first picture",
}
"""How the name of a row in the full tables begins -> what the page calls it."""


def headline_table(results: str) -> str:
    """Return the table of the page, as Markdown.

    Raises:
        ValueError: a row that the page shows is missing from the full tables.
    """
    rows = [cells(line) for line in results.splitlines() if line.startswith("| ")]
    return markdown_table(
        ["what", "median", "target"], [[words, *_figures(rows, name)] for name, words in HEADLINES.items()]
    )


def suites_sentence(results: str) -> str:
    """Return how many tests of other projects were compared, and how many differed."""
    _, _, section = results.partition("<!-- benchmarks suites: begin")
    table = section.partition("<!-- benchmarks suites: end")[0]
    rows = [cells(line) for line in table.splitlines() if line.startswith("| ")]
    tests, differ = rows[0].index("tests"), rows[0].index("differ")
    counted = [(int(row[tests].replace(",", "")), int(row[differ])) for row in rows[2:]]
    return (
        f"Compared: {sum(count for count, _ in counted):,} tests in {len(counted)} runs of suites. "
        f"Different: {sum(count for _, count in counted)}."
    )


def cells(line: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _figures(rows: list[list[str]], name: str) -> tuple[str, str]:
    for row in rows:
        if row[0].startswith(name):
            target = row[4] if len(row) == 6 else ""  # the tables of peers have no targets
            return row[1].partition(" (")[0], target
    raise ValueError(f"the full tables have no row that begins with: {name}")
