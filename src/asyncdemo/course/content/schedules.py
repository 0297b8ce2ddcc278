"""The schedules of workshops: the lessons and exercises of each.

A schedule is a Markdown page, or a section of the one in docs/teach, that links to its lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asyncdemo.bounded import read_text
from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.errors import UsageError

_MOST_BYTES = 4_000_000
_LESSON = re.compile(r"\]\([^)\s]*?\blessons/([a-z0-9-]+)\.(?:md|html)")
_NO_LESSONS = frozenset({"index", "instructors", "questions"})
"""Other pages in the same folder."""
_EXERCISE = re.compile(r"\bExercise `([a-z0-9-]+)`")
_MEASURED = re.compile(r"`asyncdemo lab ([a-z0-9-]+)")


@dataclass(frozen=True, slots=True)
class Schedule:
    """A workshop's lessons, in the order of their first links, and those whose exercise the class works on.

    ``measured`` has the arguments for `asyncdemo lab`.
    """

    title: str
    lessons: tuple[Heading, ...]
    exercises: tuple[Heading, ...]
    measured: tuple[str, ...]


def find_schedule(course: Course, name: str) -> Schedule:
    """Return the schedule with this name in docs/teach ("half-a-day"), or in a Markdown file.

    Raises UsageError with the available names.
    """
    if name.endswith(".md"):
        return _schedule(course, Path(name).stem, _text(Path(name)))
    ours = {_slug(title): (title, text) for title, text in _sections(_text(_page()))}
    if _slug(name) not in ours:
        raise UsageError(
            f"There is no schedule {name!r}. There are: {', '.join(ours)}. You can also give your own "
            "Markdown file that links to lessons."
        )
    return _schedule(course, *ours[_slug(name)])


def _schedule(course: Course, title: str, text: str) -> Schedule:
    if not (ids := _ids(text)):
        raise UsageError(f"{title} has no links to lessons, such as [Two sleeps](../lessons/two-sleeps.md).")
    lessons, exercises = (
        tuple(find_lesson(course, name) for name in names)
        for names in (ids, dict.fromkeys(_EXERCISE.findall(text)))
    )
    return Schedule(title, lessons, exercises, tuple(dict.fromkeys(_MEASURED.findall(text))))


def _ids(text: str) -> list[str]:
    return [name for name in dict.fromkeys(_LESSON.findall(text)) if name not in _NO_LESSONS]


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (heading, text) of the sections that link to lessons."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    for title, below in zip(parts[1::2], parts[2::2], strict=True):
        if _ids(below):
            yield title.strip(), below


def _page() -> Path:
    """Return the page of the installed package, or of the checkout."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "_teach" / "schedules.md"
    return installed if installed.is_file() else package.parents[1] / "docs" / "teach" / "schedules.md"


def _text(page: Path) -> str:
    try:
        return read_text(page, _MOST_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{page}: cannot be read: {why}.") from None


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
