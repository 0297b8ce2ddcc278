"""Runs an exercise under the lens and holds what was seen against its check.

Not for: what a check can say (``checks``), or how a verdict looks (``render.verdict``).
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from asyncdemo.checks import CheckFailed, Evidence, Seen
from asyncdemo.course.exercise import Exercise, Knobs
from asyncdemo.errors import CourseError, UsageError
from asyncdemo.model import Run, RunOutcome
from asyncdemo.output import KeptOutput
from asyncdemo.runner import Options, Recording, Spares, Stdout, Target

__all__ = ["Failure", "Stopped", "Verdict", "judge"]

_POLL_S = 0.01
_MEMORY_BYTES = 1 << 30
_PROCESSES = 50


class Stopped(Exception):
    """Whoever asked for the verdict does not want it any more."""


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
    check = _load_check(exercise.check)
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
        failure = _failure(exercise, check, seen)
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


def _failure(exercise: Exercise, check: Callable[[Seen], None], seen: Seen) -> Failure | None:
    try:
        if seen.run.outcome is RunOutcome.FAILED and seen.run.notes and not seen.run.tracks:
            # It cannot even be compiled: the note names the line.
            note = " ".join(seen.run.notes)
            raise CheckFailed(note.replace(seen.run.script, Path(seen.run.script).name))
        seen.ends_well()
        check(seen)
    except CheckFailed as failed:
        return Failure(failed.message, failed.evidence)
    except Exception as error:
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        raise CourseError(
            f"{exercise.check}: the check itself failed: {type(error).__name__}: {error} (line {line})"
        ) from error
    return None


def _load_check(path: Path) -> Callable[[Seen], None]:
    """The function ``check`` of a check.py. Raises CourseError."""
    module = _imported(path)
    check = getattr(module, "check", None)
    if not callable(check):
        raise CourseError(f"{path}: has no function check(seen)")
    return check  # type: ignore[no-any-return]


def _imported(path: Path) -> ModuleType:
    name = f"asyncdemo_check_{path.parent.name.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{path}: cannot be read as Python")
    module = importlib.util.module_from_spec(spec)
    writing, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the course may be read-only
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        raise CourseError(f"{path}: cannot be read: {error.strerror}") from None
    except Exception as error:
        raise CourseError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.dont_write_bytecode = writing
    return module
