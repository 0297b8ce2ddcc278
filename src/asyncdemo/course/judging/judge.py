"""Runs an exercise under the tracer and holds what was seen against its check.

Not for: what a check can say (``checks``), or how a verdict looks (``render.terminal.verdict``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from asyncdemo.analysis.diagnose import limits_per_call, mistakes
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.knobs import for_scripts
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.judging.checking import Check, Stopped, load_check, run_check
from asyncdemo.course.judging.run_context import make_run_context
from asyncdemo.course.judging.schedules import judge_schedules
from asyncdemo.errors import UsageError
from asyncdemo.model import Answer, Run, RunOutcome
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, SpareChildren, Stdout, Target
from asyncdemo.render.words import settings_words
from asyncdemo.services import Services
from asyncdemo.serving import ServiceCache, Session, open_recording
from asyncdemo.testing.checks import CheckFailed, Evidence, Missed, Seen

__all__ = ["Failure", "Stopped", "Verdict", "judge"]

_POLL_S = 0.01
_MEMORY_BYTES = 1 << 30
_PROCESSES = 50
_ANSWER_BYTES = 1 << 16
"""Of each response's body, for checks to read."""
_TRIES = 3
"""Of a run of which the check did not see what it needs."""


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


def judge(
    exercise: Exercise,
    file: Path,
    poll: Callable[[], bool] = lambda: True,
    spares: SpareChildren | None = None,
    kept: ServiceCache | None = None,
    seed: int | None = None,
) -> Verdict:
    """Runs the file once for each of the exercise's runs and checks each, until one fails.

    poll: called about every 10 ms; when it returns False the script is ended and Stopped raised.
    spares: where the processes are taken from; without, each is started when it is needed.
    kept: where the services are, and stay; without, they are started now and stopped at the end.
    seed: what knobs are drawn from; without, a new one.
    Raises UsageError if there is no such file, CourseError if the check itself does not work,
    MissingError and ServiceError for services.
    """
    with ExitStack() as stack:
        if kept is None:
            kept = stack.enter_context(ServiceCache())
        if exercise.services:
            kept.begin(exercise.services)
        return _judge(exercise, file, poll, spares, kept, _new_seed() if seed is None else seed)


def _new_seed() -> int:
    """Short enough to be typed again."""
    return random.randrange(10_000)


def _judge(
    exercise: Exercise,
    file: Path,
    poll: Callable[[], bool],
    spares: SpareChildren | None,
    kept: ServiceCache,
    seed: int,
) -> Verdict:
    check, check_schedule = load_check(exercise.check, poll)
    judged: list[Verdict] = []
    for place, knobs in enumerate(exercise.knobs(seed)):
        tries = 0
        while True:
            verdict = _judge_run(exercise, file, knobs, check, poll, spares, kept)
            tries += 1
            if verdict.failure is None or not verdict.failure.missed or tries == _TRIES:
                break
        if exercise.draws(place):
            repeat = f"asyncdemo check {exercise.lesson_id} --seed {seed}"
            verdict = replace(verdict, seed=seed, repeat=repeat)
        if verdict.failure is not None:
            earlier = tuple(run for before in judged for run in before.runs)
            return replace(verdict, runs=(*earlier, *verdict.runs))
        judged.append(verdict)
    verdict = _passed(judged)
    return verdict if not exercise.schedules else _in_schedules(exercise, file, verdict, check_schedule, poll)


def _in_schedules(
    exercise: Exercise, file: Path, verdict: Verdict, check: Check | None, poll: Callable[[], bool]
) -> Verdict:
    """verdict: without a delay it is right."""
    options = _options(exercise, file, verdict.knobs)
    try:
        held = judge_schedules(exercise, file, options, check, poll)
    except CheckFailed as failed:
        return replace(verdict, failure=Failure(failed.message, failed.evidence))
    return replace(verdict, held=(*verdict.held, held))


def _judge_run(
    exercise: Exercise,
    file: Path,
    knobs: Knobs,
    check: Check,
    poll: Callable[[], bool],
    spares: SpareChildren | None,
    kept: ServiceCache,
) -> Verdict:
    output = OutputBuffer()
    services = kept.get(exercise.services, poll) if exercise.services else None
    if exercise.services and services is None:
        raise Stopped
    try:
        run, answers = _record(exercise, file, knobs, output, poll, spares, services)
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
    failure = _failure(exercise, check, seen, poll)
    # Of a script that was stopped the traceback shows only where the tracer stopped it.
    wrote = output.stdout if run.stuck else output.text
    return Verdict(tuple(seen.held), failure, (run,), knobs, wrote)


def _passed(judged: Sequence[Verdict]) -> Verdict:
    """What is told of the first run, whose numbers are those of the file; the others held too."""
    first, *others = judged
    too = tuple(f"With {settings_words(other.knobs)} all of this held too." for other in others if first.held)
    runs = tuple(run for verdict in (*others, first) for run in verdict.runs)
    seed = next((verdict.seed for verdict in judged if verdict.seed is not None), None)
    return Verdict((*first.held, *too), None, runs, first.knobs, first.output, seed)


def _record(
    exercise: Exercise,
    file: Path,
    knobs: Knobs,
    output: OutputBuffer,
    poll: Callable[[], bool],
    spares: SpareChildren | None,
    services: Services | None,
) -> tuple[Run, list[Answer]]:
    options = _options(exercise, file, knobs)
    run_context = make_run_context(exercise.load, services, knobs, _ANSWER_BYTES)
    child = None if spares is None else spares.take()
    with closing(
        open_recording(Target(str(file)), options, output, child=child, run_context=run_context)
    ) as recording:
        recording.start()
        recording.go()
        while recording.poll(_POLL_S):
            if not poll():
                raise Stopped
        return recording.result(), recording.answers if isinstance(recording, Session) else []


def _options(exercise: Exercise, file: Path, knobs: Knobs) -> Options:
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


def _failure(exercise: Exercise, check: Check, seen: Seen, poll: Callable[[], bool]) -> Failure | None:
    try:
        if seen.run.outcome is RunOutcome.FAILED and seen.run.notes and not seen.run.tracks:
            # It cannot even be compiled: the note names the line.
            note = " ".join(seen.run.notes)
            raise CheckFailed(note.replace(seen.run.script, Path(seen.run.script).name))
        if exercise.load is None or seen.run.outcome is not RunOutcome.FAILED:
            seen.ends_well()
            run_check(exercise.check, check, seen, poll)
        else:
            _fail_server(exercise, check, seen, poll)
    except CheckFailed as failed:
        message = _with_its_cause(failed.message, seen)
        return Failure(message, failed.evidence, isinstance(failed, Missed))
    return None


def _fail_server(exercise: Exercise, check: Check, seen: Seen, poll: Callable[[], bool]) -> NoReturn:
    """What a server writes is mostly its log; what became of it stands in the notes."""
    if seen.run.requests and seen.run.exit_code is None:
        # It was there until the end, and then did not go: most likely for a reason that the check names.
        run_check(exercise.check, check, seen, poll)
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
