"""Records a script and checks an exercise in this process.

The tracer's messages are assembled like those of a child process.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from asyncdemo.capture import wire
from asyncdemo.capture.script.inline import run_inline
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.judging.checking import as_reported, imported_checks
from asyncdemo.course.judging.verdict import make_verdict, options_of
from asyncdemo.errors import UsageError
from asyncdemo.in_page.interpreter import restart_task_numbers
from asyncdemo.model import Answer, Run, RunOutcome
from asyncdemo.model.verdict import Verdict
from asyncdemo.recording.assembly import Assembly
from asyncdemo.recording.conclusion import build_run, time_limit_note
from asyncdemo.recording.options import Options, Target, child_options
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.testing.checks import Seen


def record(target: Target, options: Options, output: OutputBuffer) -> Run:
    """Run to the end or to the time limit. Raises UsageError for an unknown knob or lane."""
    restart_task_numbers()
    assembly = Assembly(named=bool(options.lanes), threshold_ns=int(options.threshold_s * 1e9))
    frames = wire.FrameReader()

    def take(data: memoryview) -> int:
        for kind, payload in frames.feed(bytes(data)):
            assembly.feed(kind, payload)
        return len(data)

    stdout, stderr = (_Stream(output, name) for name in ("stdout", "stderr"))
    streams = io.StringIO(), _text(stdout), _text(stderr)

    def stop() -> None:
        stdout.ended = stderr.ended = True

    code = run_inline(dict(child_options(target, options)), take, streams, options.timeout_s, stop)
    if assembly.script.refused is not None:
        raise UsageError(assembly.script.refused)
    outcome = RunOutcome.OK if code == 0 else RunOutcome.FAILED
    if code is None:
        assert options.timeout_s is not None
        assembly.standstill.fill_in()
        assembly.script.add_note(time_limit_note(options.timeout_s))
        outcome = RunOutcome.TIMEOUT
    assembly.script.mark_gone(0)
    everything = replace(options, follow=True)  # no process is left out where there can be no other
    return build_run(assembly, target, everything, outcome, code)


def _text(stream: _Stream) -> TextIO:
    return io.TextIOWrapper(io.BufferedWriter(stream), "utf-8", "backslashreplace", line_buffering=True)


class _Stream(io.RawIOBase):
    """A stream. What is written after ``ended`` is ignored."""

    def __init__(self, output: OutputBuffer, name: str) -> None:
        self._output, self._name = output, name
        self.ended = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True  # as in a terminal: output appears immediately

    def write(self, data: object) -> int:
        written = bytes(data)  # type: ignore[call-overload]
        if not self.ended:
            self._output.output(self._name, written.decode("utf-8", "replace"))
        return len(written)


def judge(exercise: Exercise, file: Path, seed: int | None = None) -> Verdict:
    """Do as ``course.judging.judge``. Raises UsageError, CourseError."""
    try:
        check, _ = imported_checks(exercise.check)
    except BaseException as error:
        raise as_reported(exercise.check, error) from error

    def checked(seen: Seen) -> None:
        try:
            check(seen)
        except BaseException as error:  # noqa: BLE001 - a course's own code
            raise as_reported(exercise.check, error) from None

    def recorded(knobs: Knobs, output: OutputBuffer) -> tuple[Run, list[Answer]]:
        options = options_of(exercise, file, knobs)
        return record(Target(str(file)), options, output), []

    verdict = make_verdict(exercise, file, checked, recorded, seed)
    if not exercise.schedules or not verdict.passed:
        return verdict
    untried = (
        f"Not tried here: {exercise.schedules} schedules, which asyncdemo check {exercise.lesson_id} tries."
    )
    return replace(verdict, held=(*verdict.held, untried))
