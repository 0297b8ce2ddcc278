"""The catalogue: which lessons there are, in which order, and what each is about.

Reads only the head of each manifest, so that listing many lessons stays fast; ``lesson`` reads the rest.
Not for: finding a lesson by what a learner typed (``lookup``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from asyncdemo.course.content.manifest import Table, read, read_head
from asyncdemo.errors import CourseError, MissingError


@dataclass(frozen=True, slots=True)
class Heading:
    """What a list shows of a lesson.

    Attributes:
        question: What it asks, in a line; lists show it, so it must not give the answer away.
        point: What it teaches, in a line.
        packages: What it needs beyond the standard library.
    """

    id: str
    number: int
    title: str
    question: str
    point: str
    minutes: int
    packages: tuple[str, ...]
    folder: Path


@dataclass(frozen=True, slots=True)
class Module:
    number: int
    title: str
    lessons: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """renamed: id that a lesson once had -> the id it has now."""

    title: str
    folder: Path
    modules: tuple[Module, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def lessons(self) -> tuple[Heading, ...]:
        return tuple(lesson for module in self.modules for lesson in module.lessons)


def find_course(folder: Path | None = None) -> Path:
    """The folder of the course: the given one, the one in the installed package, or the checkout's.

    Raises MissingError if there is none, CourseError if the given one is no course.
    """
    if folder is not None:
        if not (folder / "course.toml").is_file():
            raise CourseError(f"{folder}: is not a course: it has no course.toml")
        return folder
    package = Path(__file__).resolve().parents[2]
    for place in (package / "_lessons", package.parents[1] / "lessons"):
        if (place / "course.toml").is_file():
            return place
    raise MissingError(
        "The lessons are not where they should be. Install asyncdemo again, or name them: --course DIR."
    )


def load_course(folder: Path) -> Course:
    """Reads the order and the head of every lesson. Raises CourseError with the file and the field."""
    table = read(folder / "course.toml")
    title = table.text("title")
    modules = tuple(_module(entry, folder) for entry in table.tables("modules"))
    renamed = table.values("renamed")
    table.close()
    course = Course(title, folder, modules, {former: str(current) for former, current in renamed.items()})
    ids = Counter(lesson.id for lesson in course.lessons)
    numbers = Counter(lesson.number for lesson in course.lessons)
    for name, count in [*ids.items(), *numbers.items()]:
        if count > 1:
            raise table.error("modules", f"{name} belongs to two lessons")
    for former, current in course.renamed.items():
        if former in ids or current not in ids:
            raise table.error(
                "renamed", f'{former} = "{current}" must be: an id of the past = an id of today'
            )
    return course


def heading_of(table: Table, folder: Path) -> Heading:
    """The head of the manifest of a lesson in a folder, which must be named NUMBER-ID."""
    lesson_id = table.text("id")
    match = re.fullmatch(r"(\d+)-(.+)", folder.resolve().name)
    if match is None or match[2] != lesson_id:
        raise table.error(
            "id", f"is {lesson_id!r}, so the folder must be called NUMBER-{lesson_id}, not {folder.name}"
        )
    return Heading(
        id=lesson_id,
        number=int(match[1]),
        title=table.text("title"),
        question=table.text("question"),
        point=table.text("point"),
        minutes=table.whole("minutes"),
        packages=table.texts("packages", ()),
        folder=folder,
    )


def _module(entry: Table, folder: Path) -> Module:
    number, title, place = entry.whole("number"), entry.text("title"), folder / entry.text("folder")
    lessons = []
    for lesson_id in entry.texts("lessons"):
        folders = [
            path for path in place.glob(f"*-{lesson_id}") if path.name[: -len(lesson_id) - 1].isdecimal()
        ]
        if len(folders) != 1:
            raise entry.error(
                "lessons", f"there must be one folder {place}/NUMBER-{lesson_id}, not {len(folders)}"
            )
        lessons.append(heading_of(read_head(folders[0] / "lesson.toml"), folders[0]))
    entry.close()
    return Module(number, title, tuple(lessons))
