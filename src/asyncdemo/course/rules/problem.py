"""A rule for lessons, and the problems that it finds, for the command line and the tests to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course.rules.lesson_source import LessonSource

SEEDS: Final = (1, 2, 3)
"""The rules always draw the knobs of an exercise with these."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, in a sentence, and where. ``line`` is None for a file as a whole."""

    message: str
    file: Path
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault that a rule found. ``lesson`` is its id, or its folder's name if that can't be read."""

    lesson: str
    rule: str
    message: str
    file: Path
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """``name``: a word or two, part of a test's name. ``find`` looks at one lesson, and changes nothing."""

    name: str
    find: Callable[[LessonSource], Iterable[Fault]]

    def problems(self, source: LessonSource) -> Iterator[Problem]:
        for fault in self.find(source):
            yield Problem(source.lesson.id, self.name, fault.message, fault.file, fault.line)
