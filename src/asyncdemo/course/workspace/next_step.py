"""The next step: the first lesson without a run, or whose exercise has not passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        if not _started(record) and lesson.id != just_run:
            return Step(lesson, exercise=False)
        if has_exercise(lesson) and not record.passed:
            return Step(lesson, exercise=True)
    return None


def first_unread(course: Course, records: Mapping[str, Record], just_run: str = "") -> Heading | None:
    """Return the first lesson that was never run, and whose exercise has not passed. None if there is none.

    ``just_run`` is a lesson's id. The lessons after it come before any that were skipped.
    """
    order = (*_after(course.lessons, just_run), *course.lessons)
    return next((lesson for lesson in order if not _started(records.get(lesson.id, Record()))), None)


def following_lesson(course: Course, records: Mapping[str, Record], lesson_id: str) -> Heading | None:
    """Return the next lesson that is not done, from the start again at the end; None if there is no other.

    A lesson is done once its exercise has passed, or, without an exercise, once it was run.
    """
    for lesson in _after(course.lessons, lesson_id):
        record = records.get(lesson.id, Record())
        if not (record.passed if has_exercise(lesson) else record.runs):
            return lesson
    return None


def _started(record: Record) -> bool:
    return bool(record.runs or record.passed)


def _after(lessons: Sequence[Heading], lesson_id: str) -> tuple[Heading, ...]:
    """Return the lessons after this one, then those before it; none if there is no such lesson."""
    here = next((place for place, lesson in enumerate(lessons) if lesson.id == lesson_id), len(lessons))
    return (*lessons[here + 1 :], *lessons[:here]) if here < len(lessons) else ()


def exercises(course: Course) -> tuple[Heading, ...]:
    """Return the lessons that have one."""
    return tuple(filter(has_exercise, course.lessons))


def following_exercise(course: Course, records: Mapping[str, Record], lesson: Heading) -> Heading | None:
    """Return the next that has not passed, from the start again at the end; if all have, the next one.

    None if there is no other.
    """
    others = _after(exercises(course), lesson.id)
    left = (other for other in others if not records.get(other.id, Record()).passed)
    return next(left, next(iter(others), None))


def current_exercise(course: Course, records: Mapping[str, Record]) -> Heading | None:
    """Return the exercise that a learner is working on: the first that has not passed. None if all have."""
    return next((lesson for lesson in exercises(course) if not records.get(lesson.id, Record()).passed), None)
