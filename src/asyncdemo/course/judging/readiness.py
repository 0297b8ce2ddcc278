"""Which lessons run here, and the command that each of the others needs.

Not for: what an extra has (``cli.extras``), or refusing to run (``needs``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.judging.needs import need
from asyncdemo.errors import AsyncdemoError, MissingError
from asyncdemo.packages import install_command
from asyncdemo.services import NotThereError, settings


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a lesson runs here. mend: the exact command that makes it run, "" if it does."""

    lesson: Heading
    mend: str


def readiness(lessons: Iterable[Heading]) -> list[Readiness]:
    """Of each lesson. Raises CourseError."""
    return [Readiness(lesson, _lacking(lesson)) for lesson in lessons]


def _lacking(heading: Heading) -> str:
    """The command without which this lesson does not run; "" if it does."""
    lesson = load_lesson(heading.folder)
    try:
        need(heading, lesson.load, lesson.services)
    except NotThereError as error:
        return error.mend
    except MissingError:
        return install_command("course")
    except AsyncdemoError:  # a setting of a service that is wrong
        return f"unset {' '.join(name for service in lesson.services for name in settings(service))}"
    return ""


def readiness_words(found: Sequence[Readiness]) -> str:
    """ "Lessons 1 to 11 run. 12 to 26 need: make course"; the commands are the end of lines."""
    by_mend: defaultdict[str, list[int]] = defaultdict(list)
    for one in found:
        by_mend[one.mend].append(one.lesson.number)
    good = by_mend.pop("", [])
    if not by_mend:
        return f"All {len(good)} lessons run."
    first = f"Lessons {numbers_words(good)} run. " if good else "No lesson runs. "
    return first + "\n".join(
        f"{numbers_words(numbers)} {'needs' if len(numbers) == 1 else 'need'}: {mend}"
        for mend, numbers in by_mend.items()
    )


def numbers_words(numbers: Iterable[int]) -> str:
    """ "1 to 11", "12, 14 and 16 to 20"."""
    parts = []
    for _, together in groupby(enumerate(sorted(numbers)), key=lambda placed: placed[1] - placed[0]):
        run = [number for _, number in together]
        parts.append(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)))
    parts = ", ".join(parts).split(", ")
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
