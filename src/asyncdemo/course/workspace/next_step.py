"""The next step: the first lesson without a run, or whose exercise has not passed.

Not here: showing it (see ``cli``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.workspace.progress import Record
from asyncdemo.course.workspace.workspace import has_exercise


@dataclass(frozen=True, slots=True)
class Step:
    """The next step is the lesson's exercise if ``exercise``, else to run the lesson."""

    lesson: Heading
    exercise: bool


def next_step(course: Course, records: Mapping[str, Record], just_run: str = "") -> Step | None:
    """Return the next step, None if everything is done.

    ``just_run`` is a lesson's id. Its exercise comes first, even if earlier ones were skipped.
    """
    for lesson in sorted(course.lessons, key=lambda lesson: lesson.id != just_run):  # the others in order
        record = records.get(lesson.id, Record())
        if not record.runs and not record.passed and lesson.id != just_run:
            return Step(lesson, exercise=False)
        if has_exercise(lesson) and not record.passed:
            return Step(lesson, exercise=True)
    return None


def first_unread(course: Course, records: Mapping[str, Record], just_run: str = "") -> Heading | None:
    """Return the first lesson that was never run. None if all were.

    ``just_run`` is a lesson's id. The lessons after it come before any that were skipped.
    """
    ids = [lesson.id for lesson in course.lessons]
    start = ids.index(just_run) + 1 if just_run else 0
    order = (*course.lessons[start:], *course.lessons[:start])
    return next((lesson for lesson in order if not records.get(lesson.id, Record()).runs), None)


def exercises(course: Course) -> tuple[Heading, ...]:
    """Return the lessons that have one."""
    return tuple(filter(has_exercise, course.lessons))


def following_exercise(course: Course, records: Mapping[str, Record], lesson: Heading) -> Heading | None:
    """Return the next that has not passed, from the start again at the end; if all have, the next one.

    None if there is no other.
    """
    order = exercises(course)
    here = next(place for place, other in enumerate(order) if other.id == lesson.id)
    others = (*order[here + 1 :], *order[:here])
    left = (other for other in others if not records.get(other.id, Record()).passed)
    return next(left, next(iter(others), None))


def current_exercise(course: Course, records: Mapping[str, Record]) -> Heading | None:
    """Return the exercise that a learner is working on: the first that has not passed. None if all have."""
    return next((lesson for lesson in exercises(course) if not records.get(lesson.id, Record()).passed), None)
