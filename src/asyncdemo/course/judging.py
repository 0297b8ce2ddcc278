"""Runs an exercise under the lens and holds what was seen against its check.

Not for: what a check can say (``checks``), or how a verdict looks (``render.verdict``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asyncdemo.checks import CheckFailed, Evidence, Seen
from asyncdemo.course.checking import Check, Stopped, load_check, run_check
from asyncdemo.course.exercise import Exercise, Knobs
from asyncdemo.errors import UsageError
from asyncdemo.model import Run, RunOutcome
from asyncdemo.output import KeptOutput
from asyncdemo.runner import Options, Recording, Spares, Stdout, Target

__all__ = ["Failure", "Stopped", "Verdict", "judge"]

_POLL_S = 0.01
_MEMORY_BYTES = 1 << 30
_PROCESSES = 50


@dataclass(frozen=True, slots=True)
class Failure:
    """message: what should be and what was seen. evidence: None where no stretch of a run shows it."""

    message: str
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check said of an exercise.

    held: the sentences that held, in order, in the last run. failure: the first that did not, None if
    passed. runs: as far as the check went; the last is the one that failed. knobs: of that run, where
    they differ from what is written. output: what that run wrote.
    """

    held: tuple[str, ...]
    failure: Failure | None
    runs: tuple[Run, ...]
    knobs: Knobs
    output: str

    @property
    def passed(self) -> bool:
        return self.failure is None


def judge(
    exercise: Exercise,
    file: Path,
    poll: Callable[[], bool] = lambda: True,
    spares: Spares | None = None,
) -> Verdict:
    """Runs the file once for each of the exercise's runs and checks each, until one fails.

    poll: called about every 10 ms; when it returns False the script is ended and Stopped raised.
    spares: where the processes are taken from; without, each is started when it is needed.
    Raises UsageError if there is no such file, CourseError if the check itself does not work.
    """
    check = load_check(exercise.check, poll)
    runs: list[Run] = []
    verdict: Verdict | None = None
    for knobs in exercise.runs:
        output = KeptOutput()
        try:
            run = _record(exercise, file, knobs, output, poll, spares)
        except UsageError as error:
            if not file.is_file():
                raise
            # A knob or a function that the check needs is gone: the learner's to mend.
            return Verdict((), Failure(str(error), None), tuple(runs), knobs, output.text)
        runs.append(run)
        seen = Seen(
            run, stdout=output.stdout, stderr=output.stderr, rows=exercise.rows, functions=exercise.lanes
        )
        failure = _failure(exercise, check, seen, poll)
        # Of a script that was stopped the traceback shows only where the lens stopped it.
        wrote = output.stdout if run.stuck else output.text
        verdict = Verdict(tuple(seen.held), failure, tuple(runs), knobs, wrote)
        if failure is not None:
            break
    assert verdict is not None
    return verdict


def _record(
    exercise: Exercise,
    file: Path,
    knobs: Knobs,
    output: KeptOutput,
    poll: Callable[[], bool],
    spares: Spares | None,
) -> Run:
    options = Options(
        name=file.stem,
        lanes=exercise.lanes,
        knobs={name: str(value) for name, value in knobs.items()},
        virtual=exercise.virtual,
        timeout_s=exercise.timeout_s,
        threshold_s=exercise.threshold_s,
        memory_bytes=_MEMORY_BYTES,
        processes=_PROCESSES,
        results=True,
        stdin=False,
        stdout=Stdout.CAPTURE,
    )
    child = None if spares is None else spares.take()
    with Recording(Target(str(file)), options, output, child) as recording:
        recording.start()
        recording.go()
        while recording.poll(_POLL_S):
            if not poll():
                raise Stopped
        return recording.result()


def _failure(exercise: Exercise, check: Check, seen: Seen, poll: Callable[[], bool]) -> Failure | None:
    try:
        if seen.run.outcome is RunOutcome.FAILED and seen.run.notes and not seen.run.tracks:
            # It cannot even be compiled: the note names the line.
            note = " ".join(seen.run.notes)
            raise CheckFailed(note.replace(seen.run.script, Path(seen.run.script).name))
        seen.ends_well()
        run_check(exercise.check, check, seen, poll)
    except CheckFailed as failed:
        return Failure(failed.message, failed.evidence)
    return None
