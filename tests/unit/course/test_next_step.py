"""What comes next, and which exercise after one."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import Course, load_course
from asyncdemo.course.workspace.next_step import first_unread, following_exercise, following_lesson, next_step
from asyncdemo.course.workspace.progress import Record
from tests.support.small_course import add_lesson, make_course, set_lessons

_RUN = Record().after_run(())


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return load_course(make_course(tmp_path))


def test_first_the_first_lesson_then_its_exercise(course: Course) -> None:
    first = course.lessons[0]
    assert (step := next_step(course, {})) is not None
    assert (step.lesson, step.exercise) == (first, False)
    assert (step := next_step(course, {first.id: _RUN})) is not None
    assert (step.lesson, step.exercise) == (first, True)


def test_run_is_followed_by_its_lessons_exercise_despite_gaps(course: Course) -> None:
    second = course.lessons[1]
    assert (step := next_step(course, {second.id: _RUN}, just_run=second.id)) is not None
    assert (step.lesson, step.exercise) == (second, True)


def test_without_progress_a_lesson_just_run_is_not_run_again(course: Course) -> None:
    first = course.lessons[0]
    assert (step := next_step(course, {}, just_run=first.id)) is not None
    assert (step.lesson, step.exercise) == (first, True)


def test_the_next_lesson_is_one_after_the_one_just_run(course: Course) -> None:
    first, second, third = course.lessons
    assert first_unread(course, {second.id: _RUN}) == first
    assert first_unread(course, {second.id: _RUN}, just_run=second.id) == third
    assert first_unread(course, {second.id: _RUN, third.id: _RUN}, just_run=third.id) == first


def test_a_lesson_whose_exercise_passed_needs_no_run(course: Course) -> None:
    first, second, third = course.lessons
    records = {first.id: Record(passed="2026-01-01"), second.id: _RUN}
    assert first_unread(course, records) == third
    assert (step := next_step(course, records)) is not None
    assert (step.lesson, step.exercise) == (second, True)
    assert following_lesson(course, records, first.id) == second, "its exercise has not passed"
    assert following_lesson(course, records, second.id) == third
    assert following_lesson(course, {**records, third.id: _RUN}, second.id) is None


def following(course: Course, after: str, *passed: str) -> str | None:
    records = dict.fromkeys(passed, Record(passed="2026-01-01"))
    found = following_exercise(course, records, next(one for one in course.lessons if one.id == after))
    return None if found is None else found.id


def test_exercise_leads_to_the_next_unpassed_or_simply_the_next(tmp_path: Path) -> None:
    folder = make_course(tmp_path)
    add_lesson(folder, 4, "milk")
    set_lessons(folder, "tea", "coffee", "water", "milk")  # water has no exercise
    course = load_course(folder)
    assert following(course, "tea") == "coffee"
    assert following(course, "coffee") == following(course, "tea", "coffee") == "milk"
    assert (following(course, "milk"), following(course, "milk", "tea")) == ("tea", "coffee")
    assert following(course, "coffee", "tea", "milk") == "milk"
    assert following(course, "milk", "tea", "coffee", "milk") == "tea"


def test_a_single_exercise_has_none_after_it(tmp_path: Path) -> None:
    folder = make_course(tmp_path)
    set_lessons(folder, "tea", "water")
    assert following(load_course(folder), "tea") is None
