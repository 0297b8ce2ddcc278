"""``python -m benchmarks [--quick] [--only PART]``: measure, print, and write the page."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.lesson_runs import measure_lessons
from benchmarks.live_view import measure_live_view
from benchmarks.load_client import measure_load_client
from benchmarks.machine import describe
from benchmarks.memory import measure_memory
from benchmarks.processes import ROOT
from benchmarks.site import measure_site
from benchmarks.startup import measure_startup
from benchmarks.summary import coverage
from benchmarks.table import Row, machine_lines, markdown_table, row_cells, with_table
from benchmarks.tracing_cost import COMPARED, measure_tracing_cost
from benchmarks.watching import measure_watch

PAGE = ROOT / "docs" / "measure" / "speed.md"
PARTS = ("tracing", "startup", "watch", "live", "memory", "lessons", "load", "site")
_HEAD = ["what", "median", "range", "rounds", "target", ""]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="only try everything once; the page stays as it is"
    )
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="not the others; the page stays as it is"
    )
    options = parser.parse_args()
    facts = describe()
    start_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="asyncdemo-benchmarks-") as folder:
        rows, compared = _measure(Path(folder), options.quick, options.only or PARTS)
    tables = _tables(facts, rows, compared)
    print(tables)
    print(f"\n{time.monotonic() - start_s:.0f} s", file=sys.stderr)
    if not options.quick and not options.only:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
        print(f"written into {PAGE.relative_to(ROOT)}", file=sys.stderr)
    return 0


def _measure(
    folder: Path, quick: bool, parts: tuple[str, ...] | list[str]
) -> tuple[list[Row], list[list[str]]]:
    rows: list[Row] = []
    compared: list[list[str]] = []
    for part in PARTS:
        if part not in parts:
            continue
        print(f"measuring: {part} ...", file=sys.stderr, flush=True)
        if part == "tracing":
            cost = (
                measure_tracing_cost(folder, rounds=1, tasks=20, sleeps=5)
                if quick
                else measure_tracing_cost(folder, rounds=7, tasks=2000, sleeps=50)
            )
            rows += cost.rows
            compared = cost.compared
        elif part == "startup":
            rows += measure_startup(rounds=1 if quick else 15)
        elif part == "watch":
            rows += measure_watch(folder, rounds=1 if quick else 25)
        elif part == "live":
            rows += (
                measure_live_view(folder, rounds=1, tasks=100, sleeps=4, seconds=0.4)
                if quick
                else measure_live_view(folder, rounds=5, tasks=10_000, sleeps=5, seconds=3.0)
            )
        elif part == "memory":
            rows += measure_memory(folder, rounds=1 if quick else 3, steps=2000 if quick else 100_000)
        elif part == "lessons":
            rows += measure_lessons(
                folder, rounds=1 if quick else 5, rounds_of_long=1 if quick else 3, only_async=quick
            )
        elif part == "site":
            rows += measure_site(folder, rounds=3, build=not quick)
        else:
            rows += (
                measure_load_client(folder, rounds=1, requests=500, paced=50, stall_s=0.02, slot_requests=10)
                if quick
                else measure_load_client(
                    folder, rounds=5, requests=150_000, paced=1000, stall_s=0.2, slot_requests=400
                )
            )
    return rows, compared


def _tables(facts: dict[str, str], rows: list[Row], compared: list[list[str]]) -> str:
    parts = [machine_lines(facts), markdown_table(_HEAD, [row_cells(row) for row in rows])]
    if compared:
        parts += ["### Against its peers", markdown_table(COMPARED, compared)]
    rounds = {row.summary.rounds for row in rows if row.summary.rounds > 1}
    if rounds:
        holds = ", ".join(f"{coverage(count):.1%} of {count}" for count in sorted(rounds))
        parts.append(
            "Figures are medians of rounds; the ranges go from the least to the most. How surely a range "
            f"holds the true median follows from the number of rounds: {holds}."
        )
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
