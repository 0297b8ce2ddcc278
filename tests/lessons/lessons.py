"""The lessons that exist, as the rules see them, for tests that look at every one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.mark import ParameterSet

from asyncdemo.cli.app import COMMANDS
from asyncdemo.course.content.catalog import find_course
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.rules import LessonSource, Problem, Survey, survey
from asyncdemo.course.rules.runs import Recorded
from asyncdemo.packages import CHECKOUT
from asyncdemo.site.lessons import subject_of
from asyncdemo.site.recordings import Recordings
from tests.support.servers import is_default, kinds_for

COURSE: Final[Survey] = survey(find_course(), COMMANDS)
SUBJECTS: Final[tuple[LessonSource, ...]] = COURSE.sources


def is_virtual(subject: LessonSource) -> bool:
    """Time can jump over all that its programs do: they serve nobody, use no servers, and do not compute."""
    exercise = subject.lesson.exercise
    return exercise is not None and exercise.virtual and not subject.lesson.packages


def each_with_its_servers(cases: Iterable[tuple[LessonSource, str, Any]]) -> list[ParameterSet]:
    """(variables, subject, value) of each (subject, id, value), once for each kind of server it talks to.

    So lessons with Redis or PostgreSQL hold with what Python packages bring, and with installed ones. The
    kind that is not taken here by itself is for a release.
    """
    found = []
    for subject, name, value in cases:
        exercise = subject.lesson.exercise
        names = {*subject.lesson.services, *(exercise.services if exercise else ())}
        slow = [] if is_virtual(subject) else [pytest.mark.slow]
        kinds = list(kinds_for(names))
        for kind, variables, missing in kinds:
            other = [] if missing or is_default(variables) else [pytest.mark.release]
            marks = [*missing, *slow, *other]
            found.append(pytest.param(variables, subject, value, id=f"{name}-{kind}", marks=marks))
        if not kinds:
            found.append(pytest.param({}, subject, value, id=name, marks=slow))
    return found


def with_exercise(subject: LessonSource, exercise: Exercise) -> LessonSource:
    """The same lesson with this exercise, which has fewer solutions than its own."""
    lesson = replace(subject.lesson, exercise=exercise)
    changed = LessonSource(lesson, subject.course_folder, subject.course, subject.commands)
    changed.service_cache = subject.service_cache
    return changed


def recordings_of(subject: LessonSource) -> Recorded | None:
    """With the knobs as they are written, if the site has made them of what is there now."""
    if Path.cwd() != CHECKOUT:
        return None  # the site knows the scripts by their paths in it
    lesson, site = load_lesson(subject.lesson.folder.relative_to(CHECKOUT)), Recordings()
    if not site.is_fresh(subject_of(lesson)):
        return None
    return {run.name: (run, "") for run in site.get(lesson.id)}


def lines_of(problems: Iterable[Problem]) -> list[str]:
    """One line a problem, as ``asyncdemo dev check`` says it."""
    return [f"{problem.file}:{problem.line or ''} {problem.message}" for problem in problems]
