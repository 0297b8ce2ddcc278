"""The lessons that exist, as the rules see them, for tests that look at every one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest
from _pytest.mark import ParameterSet

from asyncdemo.cli.app import COMMANDS
from asyncdemo.course.content.catalog import find_course
from asyncdemo.course.rules import Problem, Subject, Survey, survey
from tests.support.servers import kinds_for

__all__ = ["COURSE", "SUBJECTS", "each_with_its_servers", "told"]

COURSE: Final[Survey] = survey(find_course(), COMMANDS)
SUBJECTS: Final[tuple[Subject, ...]] = COURSE.subjects


def each_with_its_servers(cases: Iterable[tuple[Subject, str, Any]]) -> list[ParameterSet]:
    """(variables, subject, value) of each (subject, id, value), once for each kind of server it talks to.

    So lessons with Redis or PostgreSQL hold with what Python packages bring, and with installed ones.
    """
    found = []
    for subject, name, value in cases:
        exercise = subject.lesson.exercise
        names = {*subject.lesson.services, *(exercise.services if exercise else ())}
        kinds = list(kinds_for(names))
        takes_long = bool(
            names or subject.lesson.packages
        )  # servers under load, and what is measured in them
        slow = [pytest.mark.slow] if takes_long else []
        for kind, variables, marks in kinds:
            found.append(pytest.param(variables, subject, value, id=f"{name}-{kind}", marks=[*marks, *slow]))
        if not kinds:
            found.append(pytest.param({}, subject, value, id=name, marks=slow))
    return found


def told(problems: Iterable[Problem]) -> list[str]:
    """One line a problem, as ``asyncdemo dev check`` says it."""
    return [f"{problem.file}:{problem.line or ''} {problem.message}" for problem in problems]
