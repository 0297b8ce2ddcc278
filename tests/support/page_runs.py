"""Runs the programs of a lesson and judges all files of its exercise: here, or in Pyodide.

Pyodide reads this file, too. What needs threads, processes or sockets is left out. Not for: comparing.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from asyncdemo.browser.needs import missing
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.judging.verdict import Verdict
from asyncdemo.model import Run
from asyncdemo.recording.options import Options, Stdout, Target
from asyncdemo.recording.output_buffer import OutputBuffer

_LONG_S = 100.0
"""No script is slow here because of what it does, but the machine may be busy."""
_SEED = 1
_SETS = ("as_completed(", "asyncio.wait(")
"""They take tasks from a set, whose order is nobody's doing; what is drawn then goes to another call."""

if sys.platform == "emscripten":
    from asyncdemo.browser.judging import judge
    from asyncdemo.browser.recording import record
else:
    from asyncdemo.course.judging.judge import judge as judge_natively
    from asyncdemo.recording.runner import record

    def judge(exercise: Any, file: Path, seed: int) -> Verdict:
        return judge_natively(exercise, file, seed=seed)


def main(lessons: str, lesson_id: str) -> str:
    """File -> what is known of its runs, as JSON."""
    folder = next(one for one in Path(lessons).rglob("*-" + lesson_id))
    lesson = load_lesson(folder)
    os.chdir(folder)
    return json.dumps(dict(_told(lesson)))


def _told(lesson: Lesson) -> Any:
    exercise = lesson.exercise
    assert exercise is not None
    if not exercise.virtual:
        return  # it computes: what that takes, and so the verdict, is another machine's there
    for variant in lesson.variants:
        if not missing(variant.path.read_text("utf-8")):
            output = OutputBuffer()
            options = Options(
                name=variant.name,
                lanes=lesson.lanes,
                virtual=True,
                timeout_s=_LONG_S,
                stdin=False,
                stdout=Stdout.CAPTURE,
            )
            run = record(Target(str(variant.path)), options, output)
            yield variant.path.name, {"run": _run(run, True), "output": output.stdout}
    patient = replace(exercise, timeout_s=_LONG_S, schedules=0)  # a page does not try those
    for file in (exercise.file, exercise.solution, *(one.path for one in exercise.wrong), *exercise.right):
        if not missing(file.read_text("utf-8")):
            verdict = judge(patient, file, seed=_SEED)
            message = "" if verdict.failure is None else verdict.failure.message
            if any(taken in file.read_text("utf-8") for taken in _SETS):
                yield f"{file.parent.name}/{file.name}", {"passed": verdict.passed}
                continue
            yield (
                f"{file.parent.name}/{file.name}",
                {
                    "passed": verdict.passed,
                    "held": [_unnumbered(words) for words in verdict.held],
                    "message": _unplaced(_unnumbered(message)),
                    "runs": [_run(run, exercise.virtual) for run in verdict.runs],
                },
            )


def _run(run: Run, virtual: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "outcome": str(run.outcome),
        "code": run.exit_code,
        "notes": [_unplaced(note) for note in run.notes],
    }
    if not virtual:
        return told
    # Which of the tasks of a set asyncio takes first is nobody's doing, so calls of a function are alike.
    told["rows"] = sorted([_unnumbered(row.name), _spans(row)] for row in run.lanes or run.tracks)
    return told


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
