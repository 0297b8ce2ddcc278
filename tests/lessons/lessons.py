"""The lessons that exist, as the rules see them, for tests that look at every one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from asyncdemo.cli.app import COMMANDS
from asyncdemo.course.catalog import find_course
from asyncdemo.course.rules import Problem, Subject, Survey, survey

__all__ = ["COURSE", "SUBJECTS", "told"]

COURSE: Final[Survey] = survey(find_course(), COMMANDS)
SUBJECTS: Final[tuple[Subject, ...]] = COURSE.subjects


def told(problems: Iterable[Problem]) -> list[str]:
    """One line a problem, as ``asyncdemo dev check`` says it."""
    return [f"{problem.file}:{problem.line or ''} {problem.message}" for problem in problems]
