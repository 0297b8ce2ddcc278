"""Runs the programs of a lesson and judges all files of its exercise: here, or in Pyodide.

Pyodide reads this file, too. What needs threads, processes or sockets is left out. Not for: comparing.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.overlay import program_file
from asyncdemo.in_page.needs import missing
from asyncdemo.model import Run
from asyncdemo.model.verdict import Verdict
from asyncdemo.recording.options import Options, Stdout, Target
from asyncdemo.recording.output_buffer import OutputBuffer

_LONG_S = 100.0
"""No script is slow here because of what it does, but the machine may be busy."""
_SEED = 1
_ONLY_HERE = " in the script's own process; other processes are not recorded"
"""In a page there can be no others."""
_SETS = ("as_completed(", "asyncio.wait(")
"""They take tasks from a set, whose order is nobody's doing; what is drawn then goes to another call."""

if sys.platform == "emscripten":
    from asyncdemo.in_page.recording import judge, record
else:
    from asyncdemo.course.judging.judge import judge as judge_natively
    from asyncdemo.recording.runner import record

    def judge(exercise: Any, file: Path, seed: int) -> Verdict:
        return judge_natively(exercise, file, seed=seed)


def main(lessons: str, lesson_id: str, *files: str) -> str:
    """File -> what is known of its runs, as JSON.

    files: programs of the lesson, or solutions of its exercise, as the lesson's folder names them.
    """
    folder = next(one for one in Path(lessons).rglob("*-" + lesson_id))
    lesson = load_lesson(folder)
    os.chdir(folder)
    return json.dumps(dict(_verdicts(lesson, files)))


def _verdicts(lesson: Lesson, files: Iterable[str]) -> Any:
    exercise = lesson.exercise
    assert exercise is not None
    programs = {variant.path.name: variant for variant in lesson.variants}
    patient = replace(exercise, timeout_s=_LONG_S, schedules=0)  # a page does not try those
    for name in files:
        with program_file(lesson.folder / name, exercise.solution) as file:
            if missing(file.read_text("utf-8")):
                continue
            if name in programs:
                output = OutputBuffer()
                options = Options(
                    name=programs[name].name,
                    lanes=lesson.lanes,
                    virtual=True,
                    timeout_s=_LONG_S,
                    stdin=False,
                    stdout=Stdout.CAPTURE,
                )
                run = record(Target(str(file)), options, output)
                yield name, {"run": _run(run), "output": output.stdout}
                continue
            verdict = judge(patient, file, seed=_SEED)
            if any(taken in file.read_text("utf-8") for taken in _SETS):
                yield name, {"passed": verdict.passed}
                continue
            yield (
                name,
                {
                    "passed": verdict.passed,
                    "held": [_unnumbered(words) for words in verdict.held],
                    "message": _unplaced(_unnumbered(verdict.message or "")),
                    "runs": [_run(run) for run in verdict.runs],
                },
            )


def _run(run: Run) -> dict[str, Any]:
    return {
        "outcome": str(run.outcome),
        "code": run.exit_code,
        "notes": [_unplaced(note.replace(_ONLY_HERE, "")) for note in run.notes],
        # Which of the tasks of a set asyncio takes first is nobody's doing, so calls of a function are alike.
        "rows": sorted([_unnumbered(row.name), _spans(row)] for row in run.lanes or run.tracks),
    }


def _spans(row: Any) -> list[Any]:
    return [
        [
            span.start_ns,
            span.end_ns,
            span.state.name,
            span.wait.reason if span.wait else "",
            span.wait.site.line if span.wait and span.wait.site else 0,
        ]
        for span in row.spans
    ]


def _unnumbered(words: str) -> str:
    return re.sub(r"\(\d+\)", "(n)", words)


def _unplaced(words: str) -> str:
    """Without folders, and without the function: in a comprehension it is named from Python 3.12 on."""
    return re.sub(r"(\.py:\d+) in \S+\(\)", r"\1", re.sub(r"/\S*/(?=\w+\.py)", "", words))
