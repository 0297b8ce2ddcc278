"""``asyncdemo doctor --for PLAN --run``: everything that a workshop shows, tried before the class comes.

Each lesson runs as in the room, one after another, and is compared with its text.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from asyncdemo.cli.terminal import wrap
from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.schedules import Schedule
from asyncdemo.course.judging.judge import judge
from asyncdemo.course.judging.readiness import readiness
from asyncdemo.course.rules import LessonSource
from asyncdemo.course.rules.runs import problems_of_runs
from asyncdemo.errors import EXIT_FAILED, EXIT_MISSING, EXIT_OK, AsyncdemoError
from asyncdemo.render.words import count, join
from asyncdemo.serving import ServiceCache


@dataclass(frozen=True, slots=True)
class Part:
    """A lesson or an exercise that was tried. ``fix`` is the command without which it does not run.

    ``faults`` are the differences from what the class will read, in sentences.
    """

    what: str
    took_s: float
    faults: tuple[str, ...] = ()
    fix: str = ""

    @property
    def ok(self) -> bool:
        return not self.faults and not self.fix


def rehearse(course: Course, schedule: Schedule, *, aloud: bool) -> list[Part]:
    """Try everything that a schedule shows. If ``aloud``, print each part as soon as it was tried."""
    if aloud:
        click.echo(f"{schedule.title}: {_counts(schedule)}. Run nothing else in the meantime.\n")
    parts = []
    for part in _tried(course, schedule):
        parts.append(part)
        if aloud:
            _print(part)
    if aloud:
        _print_conclusion(schedule, parts)
    return parts


def exit_code(parts: Sequence[Part]) -> int:
    """Return 3 if something is missing, 1 if something is not as the text says, else 0."""
    if any(part.fix for part in parts):
        return EXIT_MISSING
    return EXIT_OK if all(part.ok for part in parts) else EXIT_FAILED


def _counts(schedule: Schedule) -> str:
    exercises = [count(len(schedule.exercises), "exercise")] if schedule.exercises else []
    return join([count(len(schedule.lessons), "lesson"), *exercises])


def _tried(course: Course, schedule: Schedule) -> Iterator[Part]:
    """Yield the parts in the order of the schedule, an exercise after its lesson."""
    exercises = {exercise.id: exercise for exercise in schedule.exercises}
    for ready in readiness(schedule.lessons):
        yield _lesson(course, ready.lesson, ready.fix)
        if ready.lesson.id in exercises:
            yield _exercise(exercises.pop(ready.lesson.id), ready.fix)
    for ready in readiness(exercises.values()):
        yield _exercise(ready.lesson, ready.fix)


def _lesson(course: Course, heading: Heading, fix: str) -> Part:
    if fix:
        return Part(heading.title, 0.0, fix=fix)
    began = time.monotonic()
    source = LessonSource(load_lesson(heading.folder), course.folder)
    with ServiceCache() as source.service_cache:
        faults = tuple(problem.message for problem in problems_of_runs(source, ()))
    return Part(heading.title, time.monotonic() - began, faults)


def _exercise(heading: Heading, fix: str) -> Part:
    what = f"Exercise {heading.id}"
    if fix:
        return Part(what, 0.0, fix=fix)
    began = time.monotonic()
    try:
        faults = tuple(_faults_of_exercise(load_lesson(heading.folder)))
    except AsyncdemoError as error:
        faults = (str(error),)
    return Part(what, time.monotonic() - began, faults)


def _faults_of_exercise(lesson: Lesson) -> Iterator[str]:
    exercise = lesson.exercise
    if exercise is None:
        yield "this lesson has no exercise"
        return
    with ServiceCache() as service_cache:
        if judge(exercise, exercise.file, service_cache=service_cache).passed:
            yield "the exercise passes its check before it is edited"
        verdict = judge(exercise, exercise.solution, service_cache=service_cache)
        if not verdict.passed:
            yield f"its solution fails the check: {verdict.message}"


def _print(part: Part) -> None:
    status = "ok" if part.ok else "missing" if part.fix else "look"
    colour = {"ok": "green", "missing": "yellow", "look": "red"}[status]
    took = "" if part.fix else f"{part.took_s:6.1f} s"
    click.echo(f"  {click.style(f'{status:<7}', fg=colour)}  {part.what:<34}{took}")
    for fault in part.faults:
        click.echo(wrap(fault, " " * 11, " " * 11))
    if part.fix:
        click.echo(f"{'':11}fix: {part.fix}")


def _print_conclusion(schedule: Schedule, parts: list[Part]) -> None:
    click.echo()
    for name in schedule.measured:
        click.echo(wrap(f"Not tried: `asyncdemo lab {name}`, which measures for minutes."))
    bad = sum(not part.ok for part in parts)
    if bad:
        click.echo(
            wrap(
                f"{bad} of {len(parts)} parts are not as the text says. Try those again on their own: a "
                "figure can be off because something else was running on the machine."
            )
        )
    else:
        minutes = sum(part.took_s for part in parts) / 60
        click.echo(f"Everything works here; the programs took {minutes:.1f} minutes.")
