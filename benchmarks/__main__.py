"""``python -m benchmarks``: measure, print, and write the tables.

Without options, measures all but the twins and writes ``RESULTS.md`` here and the headlines of
``docs/measure/speed.md``. With ``--only PART`` nothing is written unless ``--write`` is given too.
``--json FILE`` keeps the figures as data, ``--quick`` only tries everything once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from asyncdemo.lab.harness.protocol.description import Size
from asyncdemo.lab.results.ratio import coverage
from benchmarks.endurance import measure_endurance
from benchmarks.headlines import headline_table
from benchmarks.lesson_runs import measure_lessons
from benchmarks.live_view import measure_live_view
from benchmarks.load_client import measure_load_client
from benchmarks.load_peers import latency_errors
from benchmarks.machine import describe
from benchmarks.memory import measure_memory
from benchmarks.processes import ROOT
from benchmarks.schedules import measure_schedules
from benchmarks.site import measure_site
from benchmarks.startup import measure_startup
from benchmarks.table import Row, machine_lines, markdown_table, row_cells, with_table
from benchmarks.tracing_cost import COMPARED, measure_tracing_cost
from benchmarks.twins import measure_twins
from benchmarks.viewer import measure_viewer
from benchmarks.watching import measure_watch

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PAGE = ROOT / "docs" / "measure" / "speed.md"
SECTIONS = {
    "": ("tracing", "startup", "watch", "live", "viewer", "memory", "lessons", "schedules", "site"),
    "endurance": ("endurance",),
    "load": ("load",),
    "twins": ("twins",),
}
"""A section of the results -> its parts. Each has its own marks, and its own lines about the machine."""
PARTS = tuple(part for parts in SECTIONS.values() for part in parts)
UNASKED = tuple(part for part in PARTS if part != "twins")
"""The twins take 25 minutes, and a machine on which nothing else runs."""
TWINS = ROOT / ".cache" / "benchmarks" / "twins.jsonl"
_HEAD = ["what", "median", "range", "rounds", "target", ""]


@dataclass
class Found:
    """What a part came to. tables: title, head, rows."""

    rows: list[Row] = field(default_factory=list)
    tables: list[tuple[str, list[str], list[list[str]]]] = field(default_factory=list)


def main() -> int:
    options = parser().parse_args()
    facts = describe()
    start_s = time.monotonic()
    asked = options.only or (PARTS if options.quick else UNASKED)
    found: dict[str, Found] = {}
    with tempfile.TemporaryDirectory(prefix="asyncdemo-benchmarks-") as folder:
        for part in PARTS:
            if part in asked:
                print(f"measuring: {part} ...", file=sys.stderr, flush=True)
                found[part] = _measure(part, Path(folder), options)
    print(_tables(facts, found.values()))
    print(f"\n{time.monotonic() - start_s:.0f} s", file=sys.stderr)
    if options.json is not None:
        options.json.write_text(json.dumps(_data(facts, found), indent=1) + "\n", encoding="utf-8")
    if not options.quick and (options.write or not options.only):
        _write_results(facts, found)
    return 0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("--quick", action="store_true", help="only try everything once; nothing is written")
    made.add_argument("--only", choices=PARTS, action="append", help="not the others; nothing is written")
    made.add_argument(
        "--write", action="store_true", help="with --only: write the sections that were measured whole"
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="keep the figures as data")
    made.add_argument("--runs", type=int, default=40, help="of the twins (40)")
    made.add_argument("--minutes", type=float, default=45, help="that the twins take at the most (45)")
    return made


def _measure(part: str, folder: Path, options: argparse.Namespace) -> Found:
    quick: bool = options.quick
    if part == "tracing":
        cost = (
            measure_tracing_cost(folder, rounds=1, tasks=20, sleeps=5)
            if quick
            else measure_tracing_cost(folder, rounds=7, tasks=2000, sleeps=50)
        )
        return Found(cost.rows, [("Against its peers", COMPARED, cost.compared)])
    if part == "startup":
        return Found(measure_startup(rounds=1 if quick else 15))
    if part == "watch":
        return Found(measure_watch(folder, rounds=1 if quick else 25))
    if part == "live":
        return Found(
            measure_live_view(folder, rounds=1, tasks=100, sleeps=4, seconds=0.4)
            if quick
            else measure_live_view(folder, rounds=5, tasks=10_000, sleeps=5, seconds=3.0)
        )
    if part == "viewer":
        return Found(
            measure_viewer(folder, rounds=1, tasks=100, sleeps=3)
            if quick
            else measure_viewer(folder, rounds=7, tasks=10_000, sleeps=33)
        )
    if part == "memory":
        return Found(measure_memory(folder, rounds=1 if quick else 3, steps=2000 if quick else 100_000))
    if part == "endurance":
        counts = {"steps": 5_000_000, "tasks": 1_000_000, "threads": 20_000}
        few = {"steps": 2000, "tasks": 200, "threads": 20}
        return Found(measure_endurance(folder, rounds=1, counts=few if quick else counts))
    if part == "lessons":
        lessons = measure_lessons(
            folder, rounds=1 if quick else 5, rounds_of_long=1 if quick else 3, only_async=quick
        )
        return Found(lessons.rows, [("The lessons' programs", *lessons.programs)])
    if part == "schedules":
        return Found(measure_schedules(rounds=1 if quick else 7, schedules=3 if quick else 50))
    if part == "site":
        return Found(measure_site(folder, rounds=3, build=not quick))
    if part == "twins":
        size = Size(3, 0.2, 0.1, 2) if quick else Size(7, 0.6, 0.2, 3)
        most_s, keep = 60 * options.minutes, None if quick else TWINS
        return Found(measure_twins(folder, 1 if quick else options.runs, size, most_s, keep))
    rows = (
        measure_load_client(folder, rounds=1, requests=500, paced=50, stall_s=0.1, slot_requests=10)
        if quick
        else measure_load_client(
            folder, rounds=5, requests=150_000, paced=1000, stall_s=1.0, slot_requests=400
        )
    )
    errors = latency_errors(1, 0.3, rates=[500]) if quick else latency_errors(rounds=3, window_s=2.5)
    return Found(rows, [("More latency than there was", *errors)])


def _tables(facts: dict[str, str], found: Iterable[Found]) -> str:
    parts = list(found)
    rows = [row for part in parts for row in part.rows]
    texts = [machine_lines(facts), markdown_table(_HEAD, [row_cells(row) for row in rows])]
    for title, head, cells in (table for part in parts for table in part.tables):
        texts += [f"### {title}", markdown_table(head, cells)]
    rounds = {row.summary.rounds for row in rows if row.summary.rounds > 1}
    if rounds:
        holds = ", ".join(f"{coverage(count):.1%} of {count}" for count in sorted(rounds))
        texts.append(
            "Figures are medians of rounds; the ranges go from the least to the most. How surely a range "
            f"holds the true median follows from the number of rounds: {holds}."
        )
    return "\n\n".join(texts)


def _data(facts: dict[str, str], found: dict[str, Found]) -> dict[str, Any]:
    return {
        "machine": facts,
        "parts": {
            name: {
                "rows": [
                    {"what": row.what, **asdict(row.summary), "words": row_cells(row)[1:]}
                    for row in part.rows
                ],
                "tables": [{"title": title, "head": head, "rows": rows} for title, head, rows in part.tables],
            }
            for name, part in found.items()
        },
    }


def _write_results(facts: dict[str, str], found: dict[str, Found]) -> None:
    results = RESULTS.read_text(encoding="utf-8")
    for section, parts in SECTIONS.items():
        if found.keys() >= set(parts):
            results = with_table(results, _tables(facts, [found[part] for part in parts]), section)
            print(f"written into {RESULTS.relative_to(ROOT)}: {', '.join(parts)}", file=sys.stderr)
    RESULTS.write_text(results, encoding="utf-8")
    page = with_table(PAGE.read_text(encoding="utf-8"), headline_table(results), "headlines")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
