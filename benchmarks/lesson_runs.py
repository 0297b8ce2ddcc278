"""Do the lessons' scripts take longer under the tracer, and do the async ones come near their ideal?"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from asyncdemo.analysis.metrics import measure
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.model import RunOutcome
from asyncdemo.recording.runner import Options, Stdout, record
from asyncdemo.recording.runner import Target as Script
from benchmarks.processes import PYTHON, read_report, run
from benchmarks.summary import Summary, orders, paired_ratios
from benchmarks.table import Row, Target

_LONG_S = 2.0
_SHORT_S = 0.1
"""What is over sooner says more about the start of our threads than about watching."""
_OVERLAPPING = {
    "two-sleeps": "awaited",
    "await-is-not-parallel": "grouped",
    "blocker-hunt": "threaded",
    "siblings": "grouped",
    "between-awaits": "locked",
    "upload-gate": "awaited",
    "backpressure": "bounded",
    "memory": "tasks",
    "open-loop": "constant",
    "rig-it": "pool",
    "left-halfway": "closed",
}
"""Lesson -> its variant that waits for everything at the same time: only such a one can reach its ideal."""


_Program = tuple[str, str]
"""(lesson, variant)."""


@dataclass
class _Variant:
    lesson: str
    name: str
    script: Path
    lanes: tuple[str, ...]
    is_async: bool
    walls_s: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    over_ideal: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LessonRuns:
    """The rows for the targets, and a table with a line for each program."""

    rows: list[Row]
    programs: tuple[list[str], list[list[str]]]


def measure_lessons(folder: Path, rounds: int, rounds_of_long: int, only_async: bool = False) -> LessonRuns:
    """Every variant of every lesson, its constants as they are. rounds_of_long: of those over two seconds."""
    report = folder / "report.json"
    ratios: dict[_Program, Summary] = {}
    over_ideal: dict[_Program, Summary] = {}
    for variant in _variants(folder, report):
        if only_async and not variant.is_async:
            continue
        for number, order in enumerate(orders(["bare", "traced"], rounds)):
            if number >= rounds_of_long and max(variant.walls_s["bare"]) > _LONG_S:
                break
            for arm in order:
                if arm == "bare":
                    run([PYTHON, variant.script])
                else:
                    _trace(variant)
                variant.walls_s[arm].append(read_report(report)["wall_s"])
        program = (variant.lesson, variant.name)
        if min(variant.walls_s["bare"]) >= _SHORT_S:
            ratios[program] = Summary.of(paired_ratios(variant.walls_s["traced"], variant.walls_s["bare"]))
        if _OVERLAPPING.get(variant.lesson) == variant.name:
            over_ideal[program] = Summary.of(variant.over_ideal)
    return LessonRuns(
        [
            _row("wall time of a lesson's program, × the bare script", ratios, Target(1.02)),
            _row("... × its ideal, if it waits for everything at the same time", over_ideal, Target(1.05)),
        ],
        (
            ["program", "× the bare script", "× its ideal"],
            [_cells(*program, ratios, over_ideal) for program in ratios],
        ),
    )


def _variants(folder: Path, report: Path) -> list[_Variant]:
    """Copies of the lessons' scripts that take their own time; of those that need nobody else."""
    found = []
    for heading in load_course(find_course()).lessons:
        lesson = load_lesson(heading.folder)
        if lesson.load is not None or lesson.services:
            continue  # a server ends when it is asked to, and what waits for one takes as long as that does
        for variant in lesson.variants:
            if variant.expect != RunOutcome.OK:
                continue  # one that hangs takes as long as it is let
            source = variant.path.read_text(encoding="utf-8")
            copy = folder / lesson.id / variant.path.name
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(timed(source, report), encoding="utf-8")
            is_async = "asyncio.run(" in source
            found.append(_Variant(lesson.id, variant.name, copy, lesson.lanes, is_async))
    return found


def _trace(variant: _Variant) -> None:
    recording = record(Script(str(variant.script)), Options(lanes=variant.lanes, stdout=Stdout.CAPTURE))
    if variant.is_async:
        figures = measure(recording)
        assert figures.ideal_ns is not None, "it ended by itself"
        variant.over_ideal.append(figures.wall_ns / figures.ideal_ns)


def _row(what: str, of: Mapping[_Program, Summary], target: Target) -> Row:
    """The range is that of the programs' medians."""
    most = max(of, key=lambda program: of[program].median)
    words = f"{what} ({len(of)} programs, most of all `{most[0]}`, {most[1]})"
    return Row(words, Summary.of([summary.median for summary in of.values()]), _times, target)


def _cells(
    lesson: str, name: str, ratios: Mapping[_Program, Summary], over_ideal: Mapping[_Program, Summary]
) -> list[str]:
    program = (lesson, name)
    ideal = _with_range(over_ideal[program]) if program in over_ideal else ""
    return [f"`{lesson}`, {name}", _with_range(ratios[program]), ideal]


def _with_range(summary: Summary) -> str:
    return f"{_times(summary.median)} ({_times(summary.least)} .. {_times(summary.most)})"


def _times(ratio: float) -> str:
    return f"{ratio:.3f} ×"


def timed(source: str, report: Path) -> str:
    """The script, which also writes how long its ``if __name__ == "__main__"`` took: imports not counted.

    Raises ValueError if it has no such part.
    """
    tree = ast.parse(source)
    main = next((node for node in tree.body if isinstance(node, ast.If)), None)
    if main is None or ast.unparse(main.test) != "__name__ == '__main__'":
        raise ValueError('the script has no `if __name__ == "__main__"`')
    before = ast.parse("import json, time\n__start_s__ = time.perf_counter()").body
    after = ast.parse(
        "__wall_s__ = time.perf_counter() - __start_s__\n"
        f"with open({str(report)!r}, 'w', encoding='utf-8') as __file__:\n"
        "    json.dump({'wall_s': __wall_s__}, __file__)"
    ).body
    main.body = [*before, ast.Try(body=main.body, handlers=[], orelse=[], finalbody=after)]
    return ast.unparse(ast.fix_missing_locations(tree))
