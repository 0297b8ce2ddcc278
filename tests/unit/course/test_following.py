"""Which exercise comes after one."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import Course, Heading, Module
from asyncdemo.course.workspace.next_step import following_exercise
from asyncdemo.course.workspace.progress import Record

PASSED = Record(passed="2026-01-01T00:00:00+00:00")


@pytest.fixture
def lessons(tmp_path: Path) -> tuple[Heading, ...]:
    """Four lessons; the third has no exercise."""
    found = []
    for number, lesson_id in enumerate(("tea", "coffee", "water", "milk"), start=1):
        folder = tmp_path / lesson_id
        folder.mkdir()
        if lesson_id != "water":
            (folder / "exercise.py").touch()
        found.append(Heading(lesson_id, number, lesson_id.title(), "", "", 1, (), folder))
    return tuple(found)


def following(lessons: tuple[Heading, ...], after: str, *passed: str) -> str | None:
    course = Course("Drinks", Path(), (Module(1, "Hot", lessons),))
    lesson = next(lesson for lesson in lessons if lesson.id == after)
    found = following_exercise(course, dict.fromkeys(passed, PASSED), lesson)
    return None if found is None else found.id


def test_it_is_the_next_that_has_not_passed(lessons: tuple[Heading, ...]) -> None:
    assert following(lessons, "tea") == "coffee"
    assert following(lessons, "coffee") == "milk"
    assert following(lessons, "tea", "coffee") == "milk"


def test_after_the_last_it_starts_again(lessons: tuple[Heading, ...]) -> None:
    assert following(lessons, "milk") == "tea"
    assert following(lessons, "milk", "tea") == "coffee"


def test_if_all_others_have_passed_it_is_simply_the_next(lessons: tuple[Heading, ...]) -> None:
    assert following(lessons, "coffee", "tea", "milk") == "milk"
    assert following(lessons, "milk", "tea", "coffee", "milk") == "tea"


def test_a_single_exercise_has_none_after_it(lessons: tuple[Heading, ...]) -> None:
    assert following(lessons[:1], "tea") is None
