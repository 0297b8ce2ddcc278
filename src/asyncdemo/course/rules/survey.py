"""A course as the rules see it: every lesson whose manifest can be read, and what is wrong with the others.

Not ``catalog.load_course``: that stops at the first mistake, and an author wants to see all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import lesson_folders, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.manifest import Table, read
from asyncdemo.course.rules.lesson_source import LessonSource, manifest_line, text_of
from asyncdemo.course.rules.problem import Problem
from asyncdemo.errors import CourseError

MANIFEST: Final = "manifest"
COURSE: Final = "course"


@dataclass(frozen=True, slots=True)
class Survey:
    """The lessons, in the order of the course, then those that it does not list.

    ``problems`` has those of manifests that can't be read, and of the order of the course.
    """

    folder: Path
    sources: tuple[LessonSource, ...]
    problems: tuple[Problem, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Ids of the lessons, and names of the folders whose manifest can't be read."""
        broken = [problem.lesson for problem in self.problems if problem.rule == MANIFEST]
        return tuple(dict.fromkeys([*(source.lesson.id for source in self.sources), *broken]))


def survey(folder: Path, commands: Collection[str] = ()) -> Survey:
    """Look at every lesson folder of a course. Never raises an error for a mistake in one.

    ``commands`` are those of asyncdemo, which texts may name.
    """
    problems: list[Problem] = []
    listed = list(_listed(folder, problems))
    found = [path.parent for path in sorted(folder.glob("*/*/lesson.toml"))]
    lessons: list[Lesson] = []
    for place in [*listed, *(place for place in found if place not in listed)]:
        name = re.sub(r"^\d+-", "", place.name)
        if place not in listed:
            message = f"is not in the order of the course: {folder / 'course.toml'} does not list it"
            problems.append(Problem(name, COURSE, message, place))
        try:
            lessons.append(load_lesson(place))
        except CourseError as error:
            problems.append(_problem(name, MANIFEST, error, place / "lesson.toml"))
    problems += _repeated(lessons)
    if not problems:
        try:
            load_course(folder)  # finds other mistakes in the order, too
        except CourseError as error:
            problems.append(_problem("", COURSE, error, folder / "course.toml"))
    sources = tuple(LessonSource(lesson, folder, lessons, commands) for lesson in lessons)
    return Survey(folder, sources, tuple(problems))


def _listed(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield the folders of the listed lessons, and add mistakes in the list to ``problems``."""
    file = folder / "course.toml"
    try:
        table = read(file)
        table.text("title")
        modules = table.tables("modules")
    except CourseError as error:
        problems.append(_problem("", COURSE, error, file))
        return
    numbers: Counter[int] = Counter()
    for entry in modules:
        try:
            numbers[entry.whole("number")] += 1
            entry.text("title")
            yield from _folders(entry, folder, problems)
        except CourseError as error:
            problems.append(_problem("", COURSE, error, file))
    problems += [
        Problem("", COURSE, f"{count} modules have the number {number}", file)
        for number, count in numbers.items()
        if count > 1
    ]


def _folders(entry: Table, folder: Path, problems: list[Problem]) -> Iterator[Path]:
    place = folder / entry.text("folder")
    for lesson_id in entry.texts("lessons"):
        found = lesson_folders(place, lesson_id)
        if len(found) != 1:
            message = f"there must be one folder {place}/NUMBER-{lesson_id}, not {len(found)}"
            problems.append(Problem(lesson_id, COURSE, message, folder / "course.toml"))
        yield from found


def _repeated(lessons: list[Lesson]) -> Iterator[Problem]:
    for what, values in (
        ("id", [lesson.id for lesson in lessons]),
        ("number", [lesson.number for lesson in lessons]),
        ("title", [lesson.title for lesson in lessons]),
    ):
        counts = Counter(values)
        for lesson, value in zip(lessons, values, strict=True):
            if counts[value] > 1:
                file = lesson.folder / "lesson.toml"
                message = f"{counts[value]} lessons have the {what} {value!r}"
                yield Problem(lesson.id, COURSE, message, file, manifest_line(text_of(file), what))


def _problem(lesson: str, rule: str, error: CourseError, file: Path) -> Problem:
    message = str(error).removeprefix(f"{file}: ")
    field, colon, _ = message.partition(": ")
    line = manifest_line(text_of(file), field) if colon else None
    if at_line := re.search(r"at line (\d+)", message):  # of invalid TOML
        line = int(at_line[1])
    return Problem(lesson, rule, message, file, line)
