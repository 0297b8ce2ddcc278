"""What a lesson or an exercise needs beyond asyncdemo itself, and which lessons run here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.content.load import Load
from asyncdemo.errors import AsyncdemoError, MissingError
from asyncdemo.load.needed import check_installed
from asyncdemo.packages import install_command
from asyncdemo.render.words import join
from asyncdemo.services import SERVICES, NotThereError, choose


def need(lesson: Heading, load: Load | None, services: Sequence[str]) -> None:
    """Raises MissingError with the command that installs what is missing."""
    if missing := lesson.missing_packages:
        fix = install_command("course")
        raise MissingError(f"{lesson.id} needs {', '.join(missing)}. To install what the lessons need: {fix}")
    if load is not None:
        check_installed()
    for name in services:
        choose(name)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a lesson runs here. ``fix`` is the exact command that makes it run, "" if it does."""

    lesson: Heading
    fix: str


def readiness(lessons: Iterable[Heading]) -> list[Readiness]:
    """Return the readiness of each lesson. Raises CourseError."""
    return [Readiness(lesson, _lacking(lesson)) for lesson in lessons]


def _lacking(heading: Heading) -> str:
    """Return the command without which this lesson does not run; "" if it does."""
    lesson = load_lesson(heading.folder)
    try:
        need(heading, lesson.load, lesson.services)
    except NotThereError as error:
        return error.fix
    except MissingError:
        return install_command("course")
    except AsyncdemoError:  # a service has an invalid setting
        names = (name for service in lesson.services for name in SERVICES[service].settings())
        return f"unset {' '.join(names)}"
    return ""


def readiness_words(found: Sequence[Readiness]) -> str:
    """Return "Lessons 1 to 11 run. 12 to 26 need: make course"; lines end with the commands."""
    by_fix: defaultdict[str, list[int]] = defaultdict(list)
    for item in found:
        by_fix[item.fix].append(item.lesson.number)
    good = by_fix.pop("", [])
    if not by_fix:
        return f"All {len(good)} lessons run."
    first = f"Lessons {numbers_words(good)} run. " if good else "No lesson runs. "
    return first + "\n".join(
        f"{numbers_words(numbers)} {'needs' if len(numbers) == 1 else 'need'}: {fix}"
        for fix, numbers in by_fix.items()
    )


def numbers_words(numbers: Iterable[int]) -> str:
    """Return "1 to 11", or "12, 14 and 16 to 20"."""
    parts: list[str] = []
    for _, together in groupby(enumerate(sorted(numbers)), key=lambda placed: placed[1] - placed[0]):
        run = [str(number) for _, number in together]
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
    return join(parts)
