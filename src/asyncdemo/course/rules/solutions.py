"""Rules that run an exercise: it starts failing, its solution and other right ones pass, wrong shapes fail.

A check that passes a sequential solution is a defect: it teaches that this is fine. So is one that fails a
right program because it is written differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.overlay import Overlay, read_overlay
from asyncdemo.course.judging.judge import judge
from asyncdemo.course.rules.lesson_source import SEEDS, Fault, LessonSource, Rule
from asyncdemo.course.rules.plain import ending
from asyncdemo.model import RunOutcome
from asyncdemo.model.verdict import Verdict

_GRACE_S: Final = 5.0
"""What plain Python may take beyond the exercise's own limit, which doesn't count its startup."""
_BROKEN: Final = ("SyntaxError", "IndentationError", "ImportError", "ModuleNotFoundError", "NameError")
"""No lesson is about these."""


def typical(exercise: Exercise, right: int, wrong: int) -> Exercise:
    """Return the exercise with at most ``right`` and ``wrong`` solutions beside its own.

    Wrong ones fail with different sentences.
    """
    by_sentence: dict[str, Path] = {}
    for path in exercise.wrong:
        by_sentence.setdefault(re.sub(r"\d+", "0", read_overlay(path).fault), path)
    return replace(exercise, right=exercise.right[:right], wrong=tuple(by_sentence.values())[:wrong])


def starts_failing(source: LessonSource) -> Iterator[Fault]:
    exercise = source.lesson.exercise
    if exercise is None or not exercise.file.is_file():
        return
    verdict = _judged(source, exercise, exercise.file, SEEDS[0])
    if verdict.passed:
        yield Fault("passes its check, so there is nothing to fix", exercise.file)
    else:
        yield from _not_to_its_end(source, exercise, verdict)


def solution_passes(source: LessonSource) -> Iterator[Fault]:
    exercise = source.lesson.exercise
    if exercise is not None and exercise.solution.is_file():
        yield from _does_not_pass(source, exercise, exercise.solution)


def right_ones_pass(source: LessonSource) -> Iterator[Fault]:
    exercise = source.lesson.exercise
    if exercise is not None:
        for right in exercise.right:
            yield from _does_not_pass(source, exercise, right)


def wrong_ones_fail(source: LessonSource) -> Iterator[Fault]:
    exercise = source.lesson.exercise
    if exercise is not None:
        for wrong in exercise.wrong:
            yield from _does_not_fail(source, exercise, read_overlay(wrong))


def _does_not_fail(source: LessonSource, exercise: Exercise, wrong: Overlay) -> Iterator[Fault]:
    """Try each seed, but the runs without drawn values only once: they don't depend on it."""
    for seed in _seeds(exercise):
        verdict = _judged(source, exercise, wrong.path, seed)
        faults = list(_not_its_fault(verdict, wrong))
        yield from faults
        if faults or verdict.seed is None:
            break
        drawn = [run for place, run in enumerate(exercise.runs) if exercise.draws(place)]
        exercise = replace(exercise, runs=tuple(drawn))


def _not_its_fault(verdict: Verdict, wrong: Overlay) -> Iterator[Fault]:
    if verdict.message is None:
        yield Fault(f"passes the check{_with(verdict)}, though it has the wrong shape", wrong.path)
    elif wrong.fault not in verdict.message:
        message = f"fails{_with(verdict)} with {verdict.message!r}, which does not name its fault"
        yield Fault(f"{message}, {wrong.fault!r}", wrong.path)


def _not_to_its_end(source: LessonSource, exercise: Exercise, verdict: Verdict) -> Iterator[Fault]:
    """Check that it ends the same under plain Python, which learners use first, as under the tracer."""
    if not verdict.runs or exercise.runs[0] or exercise.load is not None:
        return  # it never runs as written; or as a server, which runs until it is stopped
    outcome = verdict.runs[0].outcome
    hangs = outcome is RunOutcome.TIMEOUT or bool(verdict.runs[0].stuck)
    with source.services(exercise.services) as services:
        environment = {} if services is None else services.environment
        done = ending(exercise.file, exercise.timeout_s + _GRACE_S, environment)
    if done.outcome != ("timeout" if hangs else outcome.value):
        how = "hangs" if hangs else f"is {outcome.value!r}"
        message = f"under plain Python it ends as {done.outcome!r}, while under the tracer it {how}"
        yield Fault(f"{message}: {done.last_words}".rstrip(": "), exercise.file)
    if done.last_words.startswith(_BROKEN):
        yield Fault(
            f"is broken, but not in the way that the lesson intends: {done.last_words}", exercise.file
        )


def _does_not_pass(source: LessonSource, exercise: Exercise, file: Path) -> Iterator[Fault]:
    verdict = _judged(source, exercise.drawn_with(_seeds(exercise)), file, None)
    if not verdict.passed:
        yield Fault(f"fails its check{_with(verdict)}: {verdict.message}", file)
    elif not verdict.held:
        yield Fault("does not say what held: the check has no sentence", exercise.check)


def _judged(source: LessonSource, exercise: Exercise, file: Path, seed: int | None) -> Verdict:
    spares = source.spares

    def poll() -> bool:
        if spares is not None:
            spares.fill(1)  # the next one starts while this one runs
        return True

    return judge(exercise, file, poll, spares, source.service_cache, seed)


def _seeds(exercise: Exercise) -> tuple[int, ...]:
    """Return fewer seeds with real time, because each takes seconds."""
    return SEEDS if exercise.virtual else SEEDS[:2]


def _with(verdict: Verdict) -> str:
    knobs = ", ".join(f"{name}={value}" for name, value in verdict.knobs.items())
    seed = "" if verdict.seed is None else f" (seed {verdict.seed})"
    return (f" with {knobs}" if knobs else "") + seed


RULES: Final = (
    Rule("exercise-fails", starts_failing),
    Rule("solution-passes", solution_passes),
    Rule("right-passes", right_ones_pass),
    Rule("wrong-fails", wrong_ones_fail),
)
