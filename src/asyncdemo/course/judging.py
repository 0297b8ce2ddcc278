"""Runs an exercise under the lens and holds what was seen against its check.

Not for: what a check can say (``checks``), or how a verdict looks (``render.verdict``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from asyncdemo.checks import CheckFailed, Evidence, Seen
from asyncdemo.checks.words import settings_words
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

    runs: as far as the check went; the last is the one that is told of: that which failed or, if all
    passed, the first. held: the sentences that held in it, in order. failure: the first that did not.
    knobs: of that run, where they differ from what is written. output: what it wrote.
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
    judged: list[Verdict] = []
    for knobs in exercise.runs:
        output = KeptOutput()
        earlier = tuple(run for verdict in judged for run in verdict.runs)
        try:
            run = _record(exercise, file, knobs, output, poll, spares)
        except UsageError as error:
            if not file.is_file():
                raise
            # A knob or a function that the check needs is gone: the learner's to mend.
            return Verdict((), Failure(str(error), None), earlier, knobs, output.text)
        seen = Seen(
            run, stdout=output.stdout, stderr=output.stderr, rows=exercise.rows, functions=exercise.lanes
        )
        failure = _failure(exercise, check, seen, poll)
        # Of a script that was stopped the traceback shows only where the lens stopped it.
        wrote = output.stdout if run.stuck else output.text
        held = tuple(seen.held)
        if failure is not None:
            return Verdict(held, failure, (*earlier, run), knobs, wrote)
        judged.append(Verdict(held, None, (run,), knobs, wrote))
    return _passed(judged)


def _passed(judged: Sequence[Verdict]) -> Verdict:
    """What is told of the first run, whose numbers are those of the file; the others held too."""
    first, *others = judged
    too = tuple(f"With {settings_words(other.knobs)} all of this held too." for other in others if first.held)
    runs = tuple(run for verdict in (*others, first) for run in verdict.runs)
    return Verdict((*first.held, *too), None, runs, first.knobs, first.output)


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
        return Failure(_with_what_never_ran(failed.message, seen), failed.evidence)
    return None


def _with_what_never_ran(message: str, seen: Seen) -> str:
    """A forgotten await is often the cause of a fault that the check saw elsewhere."""
    dropped = seen.never_ran()
    return message if not dropped or "nobody awaited" in message else f"{message} And: {dropped}"
