"""Checks an exercise in this process.

Not here: the verdict (see ``course.judging.verdict``), or a time limit for the check: the caller can stop
this process.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.judging.checking import imported_checks, told
from asyncdemo.course.judging.verdict import Verdict, judged, options_of
from asyncdemo.in_page.recording import record
from asyncdemo.model import Answer, Run
from asyncdemo.recording.options import Target
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.testing.checks import Seen

_TIMES_SLOWER = 3
"""How many times slower Python is in a page, at most; limits allow for that."""


def judge(exercise: Exercise, file: Path, seed: int | None = None) -> Verdict:
    """Do as ``course.judging.judge``. Raises UsageError, CourseError."""
    try:
        check, _ = imported_checks(exercise.check)
    except BaseException as error:
        raise told(exercise.check, error) from error

    def checked(seen: Seen) -> None:
        try:
            check(seen)
        except BaseException as error:  # noqa: BLE001 - a course's own code
            raise told(exercise.check, error) from None

    def recorded(knobs: Knobs, output: OutputBuffer) -> tuple[Run, list[Answer]]:
        options = options_of(exercise, file, knobs)
        slower = replace(options, timeout_s=exercise.timeout_s * _TIMES_SLOWER)
        return record(Target(str(file)), slower, output), []

    verdict = judged(exercise, file, checked, recorded, seed)
    if not exercise.schedules or not verdict.passed:
        return verdict
    untried = (
        f"Not tried here: {exercise.schedules} schedules, which asyncdemo check {exercise.lesson_id} tries."
    )
    return replace(verdict, held=(*verdict.held, untried))
