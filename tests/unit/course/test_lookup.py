"""Which lesson someone means."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import Course, Heading, Module
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.errors import UsageError


def heading(number: int, lesson_id: str) -> Heading:
    return Heading(lesson_id, number, lesson_id.title(), "", "", 1, (), Path())


LESSONS = ((1, "two-sleeps"), (9, "upload-gate"), (13, "cpu-route"), (20, "route-map"))
COURSE = Course("T", Path(), (Module(1, "One", tuple(heading(*lesson) for lesson in LESSONS)),))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("two-sleeps", "two-sleeps"),
        ("1", "two-sleeps"),
        ("09", "upload-gate"),
        ("upload", "upload-gate"),
        ("Gate", "upload-gate"),
        ("two_sleeps", "two-sleeps"),
        ("two sleeps", "two-sleeps"),
        ("01-two-sleeps", "two-sleeps"),
        ("09-upload-gate.py", "upload-gate"),
    ],
)
def test_id_number_and_unique_part_find_a_lesson(typed: str, meant: str) -> None:
    assert find_lesson(COURSE, typed).id == meant


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("two-sleps", r"There is no lesson 'two-sleps'. Did you mean 'two-sleeps'\?"),
        ("uplaod-gate", "Did you mean 'upload-gate'"),
        ("zzz", "There is no lesson 'zzz'. `asyncdemo list` shows them."),
        ("", "`asyncdemo list` shows them."),
        ("7", "There is no lesson 7. The numbers are 1 to 20: `asyncdemo list` shows them."),
        ("route", "'route' matches more than one lesson: cpu-route, route-map."),
    ],
)
def test_anything_else_gets_an_answer_that_helps(typed: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_lesson(COURSE, typed)
