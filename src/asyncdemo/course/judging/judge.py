"""Runs an exercise under the tracer, each run in its own process, and checks it.

Not here: the verdict itself (see ``verdict``).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.judging import checking
from asyncdemo.course.judging.checking import Stopped
from asyncdemo.course.judging.lesson_jobs import make_run_context
from asyncdemo.course.judging.schedules import judge_schedules
from asyncdemo.course.judging.verdict import Check, Failure, Verdict, judged, options_of
from asyncdemo.model import Answer, Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import SpareChildren, Target
from asyncdemo.serving import ServiceCache, Session, open_recording
from asyncdemo.testing.checks import CheckFailed, Seen

__all__ = ["Failure", "Stopped", "Verdict", "judge"]

_POLL_S = 0.01
_ANSWER_BYTES = 1 << 16
"""How much of each response's body is kept for checks to read."""


def judge(
    exercise: Exercise,
    file: Path,
    poll: Callable[[], bool] = lambda: True,
    spares: SpareChildren | None = None,
    kept: ServiceCache | None = None,
    seed: int | None = None,
) -> Verdict:
    """Run the file once for each of the exercise's runs and check each, until one fails.

    Args:
        poll: Called about every 10 ms. If it returns False, the script is ended and Stopped raised.
        spares: Where processes come from. By default, each is started when needed.
        kept: Where services run, and stay. By default, they start now and stop at the end.
        seed: Seed for drawing knobs. By default, a new one.

    Raises:
        UsageError: There is no such file.
        CourseError: The check itself does not work.
        MissingError, ServiceError: A service is missing or fails.
    """
    with ExitStack() as stack:
        if kept is None:
            kept = stack.enter_context(ServiceCache())
        if exercise.services:
            kept.begin(exercise.services)
        verdict = judged(exercise, file, _Processes(poll, spares, kept), seed)
        if exercise.schedules and verdict.passed:
            return _in_schedules(exercise, file, verdict, poll)
        return verdict


def _in_schedules(exercise: Exercise, file: Path, verdict: Verdict, poll: Callable[[], bool]) -> Verdict:
    """Judge other schedules. ``verdict`` says that the exercise is right without delays."""
    _, check_schedule = checking.load_check(exercise.check, poll)
    options = options_of(exercise, file, verdict.knobs)
    try:
        held = judge_schedules(exercise, file, options, check_schedule, poll)
    except CheckFailed as failed:
        return replace(verdict, failure=Failure(failed.message, failed.evidence))
    return replace(verdict, held=(*verdict.held, held))


@dataclass(frozen=True, slots=True)
class _Processes:
    """Makes each run in its own process."""

    poll: Callable[[], bool]
    spares: SpareChildren | None
    kept: ServiceCache

    def load_check(self, path: Path) -> Check:
        return checking.load_check(path, self.poll)[0]

    def run_check(self, path: Path, check: Check, seen: Seen) -> None:
        checking.run_check(path, check, seen, self.poll)

    def record(
        self, exercise: Exercise, file: Path, knobs: Knobs, output: OutputBuffer
    ) -> tuple[Run, list[Answer]]:
        services = self.kept.get(exercise.services, self.poll) if exercise.services else None
        if exercise.services and services is None:
            raise Stopped
        options = options_of(exercise, file, knobs)
        run_context = make_run_context(exercise.load, services, knobs, _ANSWER_BYTES)
        child = None if self.spares is None else self.spares.take()
        with closing(
            open_recording(Target(str(file)), options, output, child=child, run_context=run_context)
        ) as recording:
            recording.start()
            recording.go()
            while recording.poll(_POLL_S):
                if not self.poll():
                    raise Stopped
            return recording.result(), recording.answers if isinstance(recording, Session) else []
