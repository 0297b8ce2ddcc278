"""The catalogue: which lessons there are, in which order, and what each is about.

Reads only the head of each manifest, so that listing many lessons stays fast; ``lesson`` reads the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course.content.manifest import Table, read
from asyncdemo.errors import CourseError, MissingError
from asyncdemo.packages import missing_packages

INSTALLED: Final = "_lessons"
"""The folder of the course in the installed package. The right and wrong solutions are not there."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A lesson as a list shows it.

    Attributes:
        question: The lesson's question, in one line. Lists show it, so it must not give the answer away.
        point: What the lesson teaches, in one line.
        packages: The packages it needs beyond the standard library.
    """

    id: str
    number: int
    title: str
    question: str
    point: str
    minutes: int
    packages: tuple[str, ...]
    folder: Path

    @property
    def missing_packages(self) -> tuple[str, ...]:
        """The packages that are not installed."""
        return missing_packages(name.partition("[")[0] for name in self.packages)


@dataclass(frozen=True, slots=True)
class Module:
    number: int
    title: str
    lessons: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class Course:
    title: str
    folder: Path
    modules: tuple[Module, ...]

    @property
    def lessons(self) -> tuple[Heading, ...]:
        return tuple(lesson for module in self.modules for lesson in module.lessons)


def find_course(folder: Path | None = None) -> Path:
    """Return the folder of the course: the given one, the installed package's, or the checkout's.

    Raises MissingError if there is none, CourseError if the given folder is not a course.
    """
    if folder is not None:
        if not (folder / "course.toml").is_file():
            raise CourseError(f"{folder}: is not a course: it has no course.toml")
        return folder
    package = Path(__file__).resolve().parents[2]
    for place in (package / INSTALLED, package.parents[1] / "lessons"):
        if (place / "course.toml").is_file():
            return place
    raise MissingError("The lessons are missing. Install asyncdemo again, or name their folder: --course DIR")


def load_course(folder: Path) -> Course:
    """Read the order and the head of every lesson. Raises CourseError with the file and the field."""
    table = read(folder / "course.toml")
    title = table.text("title")
    modules = table.each("modules", lambda entry: _module(entry, folder))
    table.close()
    course = Course(title, folder, modules)
    ids = Counter(lesson.id for lesson in course.lessons)
    numbers = Counter(lesson.number for lesson in course.lessons)
    for name, count in [*ids.items(), *numbers.items()]:
        if count > 1:
            raise table.error("modules", f"{name} belongs to two lessons")
    return course


def heading_of(table: Table, folder: Path) -> Heading:
    """Return the head of a lesson's manifest. The lesson's folder must be named NUMBER-ID."""
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


def lesson_folders(place: Path, lesson_id: str) -> list[Path]:
    """Return the folders NUMBER-ID in a module's folder; there should be one."""
    folders = sorted(place.glob(f"*-{lesson_id}"))
    return [path for path in folders if path.name.removesuffix(f"-{lesson_id}").isdecimal()]


def _module(entry: Table, folder: Path) -> Module:
    number, title, place = entry.whole("number"), entry.text("title"), folder / entry.text("folder")
    lessons = []
    for lesson_id in entry.texts("lessons"):
        folders = lesson_folders(place, lesson_id)
        if len(folders) != 1:
            raise entry.error(
                "lessons", f"there must be one folder {place}/NUMBER-{lesson_id}, not {len(folders)}"
            )
        lessons.append(heading_of(read(folders[0] / "lesson.toml", head_only=True), folders[0]))
    return Module(number, title, tuple(lessons))
