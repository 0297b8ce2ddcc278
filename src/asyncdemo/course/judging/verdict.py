"""The verdict on an exercise, from runs of it that somebody else makes.

Not for: making the runs (``judge``; in a page ``browser``), what a check can say (``checks``), or how a
verdict looks (``render.terminal.verdict``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, Protocol

from asyncdemo.analysis.diagnose import limits_per_call, mistakes
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.knobs import for_scripts
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.errors import UsageError
from asyncdemo.model import Answer, Run, RunOutcome
from asyncdemo.recording.options import Options, Stdout
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.render.words import settings_words
from asyncdemo.testing.checks import CheckFailed, Evidence, Missed, Seen

_MEMORY_BYTES = 1 << 30
_PROCESSES = 50
_TRIES = 3
"""Of a run of which the check did not see what it needs."""

Check = Callable[[Seen], object]


@dataclass(frozen=True, slots=True)
class Failure:
    """message: what should be and what was seen. evidence: None where no stretch of a run shows it.

    missed: the machine was too busy to see whether it is one.
    """

    message: str
    evidence: Evidence | None
    missed: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check said of an exercise.

    runs: as far as the check went; the last is the one that is told of: that which failed or, if all
    passed, the first. held: the sentences that held in it, in order. failure: the first that did not.
    knobs: of that run, where they differ from what is written. output: what it wrote. seed: what values
    of a run were drawn from; None if none were, or not those of the run that failed. repeat: the command
    that draws them again.
    """

    held: tuple[str, ...]
    failure: Failure | None
    runs: tuple[Run, ...]
    knobs: Knobs
    output: str
    seed: int | None = None
    repeat: str = ""

    @property
    def passed(self) -> bool:
        return self.failure is None


class Maker(Protocol):
    """Makes the runs of one exercise, and runs its check."""

    def record(
        self, exercise: Exercise, file: Path, knobs: Knobs, output: OutputBuffer
    ) -> tuple[Run, list[Answer]]:
        """Raises UsageError if there is no such file, or it lacks a knob or a function."""
        ...

    def load_check(self, path: Path) -> Check:
        """Raises CourseError if that does not work."""
        ...

    def run_check(self, path: Path, check: Check, seen: Seen) -> None:
        """Raises CheckFailed, and CourseError if the check itself does not work."""
        ...


def judged(exercise: Exercise, file: Path, maker: Maker, seed: int | None = None) -> Verdict:
    """Has the file run once for each of the exercise's runs and checks each, until one fails.

    seed: what knobs are drawn from; without, a new one. Raises what the maker does.
    """
    seed = _new_seed() if seed is None else seed
    check = maker.load_check(exercise.check)
    passed: list[Verdict] = []
    for place, knobs in enumerate(exercise.knobs(seed)):
        tries = 0
        while True:
            verdict = _judge_run(exercise, file, knobs, check, maker)
            tries += 1
            if verdict.failure is None or not verdict.failure.missed or tries == _TRIES:
                break
        if exercise.draws(place):
            repeat = f"asyncdemo check {exercise.lesson_id} --seed {seed}"
            verdict = replace(verdict, seed=seed, repeat=repeat)
        if verdict.failure is not None:
            earlier = tuple(run for before in passed for run in before.runs)
            return replace(verdict, runs=(*earlier, *verdict.runs))
        passed.append(verdict)
    return _all_passed(passed)


def options_of(exercise: Exercise, file: Path, knobs: Knobs) -> Options:
    """How one run of it is made."""
    return Options(
        name=file.stem,
        lanes=exercise.lanes,
        knobs=for_scripts({name: str(value) for name, value in knobs.items()}, exercise.load),
        virtual=exercise.virtual,
        timeout_s=exercise.timeout_s,
        threshold_s=exercise.threshold_s,
        memory_bytes=_MEMORY_BYTES,
        processes=_PROCESSES,
        results=True,
        stdin=False,
        stdout=Stdout.CAPTURE,
        memory=exercise.memory,
    )


def _new_seed() -> int:
    """Short enough to be typed again."""
    return random.randrange(10_000)


def _judge_run(exercise: Exercise, file: Path, knobs: Knobs, check: Check, maker: Maker) -> Verdict:
    output = OutputBuffer()
    try:
        run, answers = maker.record(exercise, file, knobs, output)
    except UsageError as error:
        if not file.is_file():
            raise
        # A knob or a function that the check needs is gone: the learner's to mend.
        return Verdict((), Failure(str(error), None), (), knobs, output.text)
    seen = Seen(
        run,
        stdout=output.stdout,
        stderr=output.stderr,
        rows=exercise.rows,
        functions=exercise.lanes,
        answers=answers,
    )
    failure = _failure(exercise, check, seen, maker)
    # Of a script that was stopped the traceback shows only where the tracer stopped it.
    wrote = output.stdout if run.stuck else output.text
    return Verdict(tuple(dict.fromkeys(seen.held)), failure, (run,), knobs, wrote)


def _all_passed(passed: Sequence[Verdict]) -> Verdict:
    """What is told of the first run, whose numbers are those of the file; the others held too."""
    first, *others = passed
    too = tuple(f"With {settings_words(other.knobs)} all of this held too." for other in others if first.held)
    runs = tuple(run for verdict in (*others, first) for run in verdict.runs)
    seed = next((verdict.seed for verdict in passed if verdict.seed is not None), None)
    return Verdict((*first.held, *too), None, runs, first.knobs, first.output, seed)


def _failure(exercise: Exercise, check: Check, seen: Seen, maker: Maker) -> Failure | None:
    try:
        if seen.run.outcome is RunOutcome.FAILED and seen.run.notes and not seen.run.tracks:
            # It cannot even be compiled: the note names the line.
            note = " ".join(seen.run.notes)
            raise CheckFailed(note.replace(seen.run.script, Path(seen.run.script).name))
        if exercise.load is None or seen.run.outcome is not RunOutcome.FAILED:
            seen.ends_well()
            maker.run_check(exercise.check, check, seen)
        else:
            _fail_server(exercise, check, seen, maker)
    except CheckFailed as failed:
        message = _with_its_cause(failed.message, seen)
        return Failure(message, failed.evidence, isinstance(failed, Missed))
    return None


def _fail_server(exercise: Exercise, check: Check, seen: Seen, maker: Maker) -> NoReturn:
    """What a server writes is mostly its log; what became of it stands in the notes."""
    if seen.run.requests and seen.run.exit_code is None:
        # It was there until the end, and then did not go: most likely for a reason that the check names.
        maker.run_check(exercise.check, check, seen)
    raise CheckFailed(" ".join(seen.run.notes))


def _with_its_cause(message: str, seen: Seen) -> str:
    """What a first mistake comes to is seen far from it: the cause stands above what the check saw."""
    for cause in (*mistakes(seen.run), *limits_per_call(seen.run)):
        return f"{cause.message} {cause.advice} {message}"
    dropped = seen.never_ran()
    if not dropped or "nobody awaited" in message:
        return message
    # Beside an error it may be that its await was never reached.
    return f"{message} And: {dropped}" if seen.run.uncaught else f"{dropped} {message}"
