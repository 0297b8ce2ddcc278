"""Finds the lesson that matches what the user typed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from asyncdemo.errors import UsageError

if TYPE_CHECKING:
    from asyncdemo.course.content.catalog import Course, Heading


def find_lesson(course: Course, typed: str) -> Heading:
    """Return the lesson with this id or number, or the only one whose id contains the text.

    A lesson's folder and exercise have both in their names: ``01-two-sleeps.py`` is valid too.
    Raises UsageError with a suggestion.
    """
    word = typed.strip().lower().removesuffix(".py").replace("_", "-").replace(" ", "-")
    lessons = {lesson.id: lesson for lesson in course.lessons}
    number, _, name = word.partition("-")
    word = name if number.isdecimal() and name in lessons else word
    if word in lessons:
        return lessons[word]
    if word.isdecimal():
        by_number = {lesson.number: lesson for lesson in course.lessons}
        if int(word) in by_number:
            return by_number[int(word)]
        raise UsageError(
            f"There is no lesson {int(word)}. The numbers are {min(by_number, default=0)} to "
            f"{max(by_number, default=0)}: `asyncdemo list` shows them."
        )
    matches = [lesson for lesson in course.lessons if word and word in lesson.id]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(lesson.id for lesson in matches)
        raise UsageError(f"{typed!r} matches more than one lesson: {names}.")
    near = nearest(word, lessons)
    hint = f"Did you mean {near!r}?" if near else "`asyncdemo list` shows them."
    raise UsageError(f"There is no lesson {typed!r}. {hint}")


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant, or None."""
    import difflib  # only a mistake needs it, and loading it takes long in a page

    return next(iter(difflib.get_close_matches(word, list(names), n=1, cutoff=0.5)), None)
