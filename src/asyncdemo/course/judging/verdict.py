"""Reaching the verdict on an exercise, from runs that the caller makes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from asyncdemo.analysis.diagnose import limits_per_call, mistakes
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.knobs import for_scripts
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.errors import UsageError
from asyncdemo.model import Answer, Run, RunOutcome, State, TrackKind
from asyncdemo.model.verdict import Verdict
from asyncdemo.recording.options import Options, Stdout
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.render.words import settings_words
from asyncdemo.testing.checks import CheckFailed, Missed, Seen

_MEMORY_BYTES = 1 << 30
_PROCESSES = 50
_REAL_TIME = "Time is real, not virtual,"
"""How the note begins that says what ended virtual time."""
_IN_REAL_TIME = ("thread", "executor", "subprocess", "interpreter", "net.", "dns", "i/o")
"""Reasons of waits that no clock can be moved ahead for."""
_REAL_SHARE = 0.1
_TRIES = 3
"""How often to make a run if the check did not see what it needs."""

Check = Callable[[Seen], object]
"""Raises CheckFailed, and CourseError if the check itself does not work."""
Record = Callable[[Knobs, OutputBuffer], tuple[Run, list[Answer]]]
"""Makes a run. Raises UsageError if there is no such file, or it lacks a knob or a function."""


def make_verdict(
    exercise: Exercise, file: Path, check: Check, record: Record, seed: int | None = None
) -> Verdict:
    """Run the file once for each of the exercise's runs and check each, until one fails.

    ``seed`` is for drawing knobs; by default, a new one. Raises whatever ``record`` raises.
    """
    if seed is None:
        seed = random.randrange(10_000)  # short enough to type again
    passed: list[Verdict] = []
    for place, knobs in enumerate(exercise.knobs(seed)):
        tries = 0
        while True:
            verdict = _judge_run(exercise, file, knobs, check, record)
            tries += 1
            if not verdict.missed or tries == _TRIES:
                break
        if exercise.draws(place):
            repeat = f"asyncdemo check {exercise.lesson_id} --seed {seed}"
            verdict = replace(verdict, seed=seed, repeat=repeat)
        if not verdict.passed:
            earlier = tuple(run for before in passed for run in before.runs)
            return replace(verdict, runs=(*earlier, *verdict.runs))
        passed.append(verdict)
    return _all_passed(passed)


def options_of(exercise: Exercise, file: Path, knobs: Knobs, folder: Path | None = None) -> Options:
    """Return the options for one run of the file, in a folder."""
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
        folder=None if folder is None else str(folder),
        memory=exercise.memory,
    )


def _judge_run(exercise: Exercise, file: Path, knobs: Knobs, check: Check, record: Record) -> Verdict:
    output = OutputBuffer()
    try:
        run, answers = record(knobs, output)
    except UsageError as error:
        if not file.is_file():
            raise
        # The file lacks a knob or a function that the check needs. That's for the learner to fix.
        return Verdict((), knobs, output.text, str(error))
    seen = Seen(
        run,
        stdout=output.stdout,
        stderr=output.stderr,
        rows=exercise.rows,
        functions=exercise.lanes,
        answers=answers,
    )
    failure = _failure(exercise, check, seen)
    # If the script was stopped, the traceback shows only where the tracer stopped it.
    wrote = output.stdout if run.stuck else output.text
    verdict = Verdict(tuple(dict.fromkeys(seen.held)), knobs, wrote, runs=(run,))
    if failure is None:
        return verdict
    message = _with_its_cause(failure.message, seen)
    return replace(verdict, message=message, evidence=failure.evidence, missed=isinstance(failure, Missed))


def _all_passed(passed: Sequence[Verdict]) -> Verdict:
    """Return the verdict on the first run (with the file's own numbers), and that the others held too."""
    first, *others = passed
    too = tuple(
        f"With {settings_words(other.knobs)}, all of this held too." for other in others if first.held
    )
    runs = tuple(run for verdict in (*others, first) for run in verdict.runs)
    seed = next((verdict.seed for verdict in passed if verdict.seed is not None), None)
    return replace(first, held=(*first.held, *too), runs=runs, seed=seed, repeat="")


def _failure(exercise: Exercise, check: Check, seen: Seen) -> CheckFailed | None:
    try:
        if seen.run.outcome is RunOutcome.FAILED and seen.run.notes and not seen.run.tracks:
            # It does not even compile. The note names the line.
            note = " ".join(seen.run.notes)
            raise CheckFailed(note.replace(seen.run.script, Path(seen.run.script).name))
        server_failed = exercise.load is not None and seen.run.outcome is RunOutcome.FAILED
        if not server_failed:
            seen.ends_well()
        if not server_failed or (seen.run.requests and seen.run.exit_code is None):
            # A server that ran until the end and then did not exit has a reason that the check may name.
            check(seen)
            _refuse_needless_real_time(seen.run)
        if server_failed:  # the notes say what happened to it; its output is mostly log
            raise CheckFailed(" ".join(seen.run.notes))
    except CheckFailed as failed:
        return failed
    return None


def _refuse_needless_real_time(run: Run) -> None:
    """Raise CheckFailed if virtual time became real, but the work hardly waits for anything real.

    In real time, checks allow for a busy machine, and so for delays that they would find in virtual time.
    """
    why = next((note for note in run.notes if note.startswith(_REAL_TIME)), "")
    if not why:
        return
    main = next((track.index for track in run.tracks if track.kind is TrackKind.THREAD), None)
    real_ns = simulated_ns = 0
    for lane in run.lanes:
        if lane.track != main and run.tracks[lane.track].kind is TrackKind.THREAD:
            real_ns += lane.end_ns - lane.start_ns
            continue
        for span in lane.spans:
            if span.state is State.WAITING and span.wait.reason.startswith(_IN_REAL_TIME):
                real_ns += span.duration_ns
            elif span.state is State.WAITING and span.wait.reason == "sleep":
                simulated_ns += span.duration_ns
    if real_ns < _REAL_SHARE * (real_ns + simulated_ns) or not real_ns:
        raise CheckFailed(
            f"{why} But the work does not wait for that. Leave it out: in virtual time, more is seen."
        )


def _with_its_cause(message: str, seen: Seen) -> str:
    """Put the cause first: a mistake often shows its effect far away, where the check sees it."""
    for cause in (*mistakes(seen.run), *limits_per_call(seen.run)):
        return f"{cause.message} {cause.advice} {message}"
    dropped = seen.never_ran()
    if not dropped or "nobody awaited" in message:
        return message
    # With an error, its await may just never have been reached.
    return f"{message} And: {dropped}" if seen.run.uncaught else f"{dropped} {message}"
