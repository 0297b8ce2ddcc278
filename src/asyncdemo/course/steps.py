"""What comes next: the first lesson that is not run, or whose exercise has not passed.

Not for: saying it (``cli``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from asyncdemo.course.catalog import Course, Heading
from asyncdemo.course.progress import Record
from asyncdemo.course.workspace import has_exercise

__all__ = ["Step", "current_exercise", "exercises", "next_step"]


@dataclass(frozen=True, slots=True)
class Step:
    """exercise: the lesson is run, its exercise is to be done; else the lesson is to be run."""

    lesson: Heading
    exercise: bool


def next_step(course: Course, records: Mapping[str, Record]) -> Step | None:
    """None if everything is done."""
    for lesson in course.lessons:
        record = records.get(lesson.id, Record())
        if not record.runs and not record.passed:
            return Step(lesson, exercise=False)
        if has_exercise(lesson) and not record.passed:
            return Step(lesson, exercise=True)
    return None


def exercises(course: Course) -> tuple[Heading, ...]:
    """The lessons that have one."""
    return tuple(filter(has_exercise, course.lessons))


def current_exercise(course: Course, records: Mapping[str, Record]) -> Heading | None:
    """The exercise that a learner works on: the first that has not passed. None if all have."""
    return next((lesson for lesson in exercises(course) if not records.get(lesson.id, Record()).passed), None)
