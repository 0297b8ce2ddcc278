"""A course as the rules see it: every lesson whose manifest can be read, and what is wrong with the others.

Not ``catalog.load_course``: that stops at the first mistake, and an author wants to see all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.rules.lesson_source import LessonSource, Problem, manifest_line, text_of
from asyncdemo.errors import CourseError

MANIFEST: Final = "manifest"
COURSE: Final = "course"


@dataclass(frozen=True, slots=True)
class Survey:
    """The lessons, by their numbers.

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
    lessons: list[Lesson] = []
    for manifest in sorted(folder.glob("*/*/lesson.toml")):
        try:
            lessons.append(load_lesson(manifest.parent))
        except CourseError as error:
            name = re.sub(r"^\d+-", "", manifest.parent.name)
            problems.append(_problem(name, MANIFEST, error, manifest))
    lessons.sort(key=lambda lesson: lesson.number)
    try:
        listed = {heading.folder for heading in load_course(folder).lessons}
    except CourseError as error:
        if not problems:  # else it may be the same mistake
            problems.append(_problem("", COURSE, error, folder / "course.toml"))
    else:
        message = f"is not in the order of the course: {folder / 'course.toml'} does not list it"
        left = [lesson for lesson in lessons if lesson.folder not in listed]
        problems += [Problem(lesson.id, COURSE, message, lesson.folder) for lesson in left]
    sources = tuple(LessonSource(lesson, folder, lessons, commands) for lesson in lessons)
    return Survey(folder, sources, tuple(problems))


def _problem(lesson: str, rule: str, error: CourseError, file: Path) -> Problem:
    message = str(error).removeprefix(f"{file}: ")
    field, colon, _ = message.partition(": ")
    line = manifest_line(text_of(file), field) if colon else None
    if at_line := re.search(r"at line (\d+)", message):  # of invalid TOML
        line = int(at_line[1])
    return Problem(lesson, rule, message, file, line)
