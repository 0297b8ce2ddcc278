"""Every lesson keeps every rule: a test for each that only reads, and for each lesson where scripts run.

The rules themselves are ``asyncdemo.course.rules``; that each of them catches what it is for is tested in
``tests/unit/course/test_rules*.py``.
"""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest

from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.overlay import read_overlay
from asyncdemo.course.rules import RULES, SLOW_RULES, LessonSource, Problem, Rule, side_by_side
from asyncdemo.course.rules.solutions import typical
from tests.lessons.lessons import (
    COURSE,
    SUBJECTS,
    each_with_its_servers,
    is_virtual,
    lines_of,
    with_exercise,
)


def test_every_manifest_can_be_read_and_every_lesson_is_listed() -> None:
    assert not lines_of(COURSE.problems)


def test_there_are_lessons() -> None:
    assert SUBJECTS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_lesson_keeps(rule: Rule) -> None:
    assert not lines_of(problem for subject in SUBJECTS for problem in rule.problems(subject))


BY_NAME = {rule.name: rule for rule in SLOW_RULES}
OF_SOLUTIONS = ("right-passes", "wrong-fails")
OF_THE_EXERCISE = ("exercise-fails", "solution-passes")
RUNS = [
    (subject, f"{name}-{subject.lesson.id}", BY_NAME[name])
    for subject in SUBJECTS
    for name in OF_THE_EXERCISE
]
EXERCISES = [
    (subject, subject.lesson.id, subject.lesson.exercise) for subject in SUBJECTS if subject.lesson.exercise
]


def problems(subject: LessonSource, exercise: Exercise) -> list[str]:
    """Of the lesson with this exercise: right solutions that fail, wrong ones that pass or fail otherwise."""
    changed = with_exercise(subject, exercise)
    return lines_of(problem for name in OF_SOLUTIONS for problem in BY_NAME[name].problems(changed))


def some_of(subject: LessonSource, exercise: Exercise) -> Exercise:
    """Fewer where each takes seconds: the exercise itself is wrong too, and its solution right."""
    return typical(exercise, right=1, wrong=3) if is_virtual(subject) else typical(exercise, right=0, wrong=1)


@pytest.mark.usefixtures("servers")
@pytest.mark.parametrize(("variables", "subject", "rule"), each_with_its_servers(RUNS))
def test_exercise_fails_as_given_and_passes_when_solved(
    variables: dict[str, str], subject: LessonSource, rule: Rule
) -> None:
    assert not lines_of(rule.problems(subject))


def test_typical_solutions_are_wrong_in_different_ways() -> None:
    for _, _, exercise in EXERCISES:
        some = typical(exercise, right=1, wrong=3)
        assert some.right == exercise.right[:1]
        assert len(some.wrong) == 3
        assert len({read_overlay(one).fault for one in some.wrong}) == 3


def test_of_several_lessons_typical_solutions_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[int] = []

    def problems_of(source: LessonSource, **_: bool) -> list[Problem]:
        assert source.lesson.exercise is not None
        judged.append(len(source.lesson.exercise.wrong))
        return []

    monkeypatch.setattr(side_by_side, "problems_of", problems_of)
    subject, _, exercise = EXERCISES[0]
    for every in (False, True):
        side_by_side.problems_here(subject.lesson.folder, subject.course_folder, every)
    assert judged == [3, len(exercise.wrong)]


def test_after_ctrl_c_its_process_begins_no_other_lesson(monkeypatch: pytest.MonkeyPatch) -> None:
    def problems_of(*_: object, **__: bool) -> list[Problem]:
        signal.raise_signal(signal.SIGINT)
        return []

    ended: list[int] = []
    monkeypatch.setattr(side_by_side, "problems_of", problems_of)
    monkeypatch.setattr("os._exit", ended.append)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker, it isn't Python's own
    try:
        side_by_side.problems_here(SUBJECTS[0].lesson.folder, SUBJECTS[0].course_folder, True)
        assert ended == [130]
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.release  # plain Python really waits; `make docs` has run them all under the tracer
@pytest.mark.usefixtures("servers")
@pytest.mark.parametrize(
    ("variables", "subject", "rule"),
    each_with_its_servers((subject, subject.lesson.id, BY_NAME["plain"]) for subject in SUBJECTS),
)
def test_the_programs_of_a_lesson_are_ordinary_python(
    variables: dict[str, str], subject: LessonSource, rule: Rule
) -> None:
    assert not lines_of(rule.problems(subject))


@pytest.mark.usefixtures("servers")
@pytest.mark.parametrize(("variables", "subject", "exercise"), each_with_its_servers(EXERCISES))
def test_typical_solutions_pass_or_fail_by_their_shape(
    variables: dict[str, str], subject: LessonSource, exercise: Exercise
) -> None:
    assert not problems(subject, some_of(subject, exercise))


@pytest.mark.release
@pytest.mark.usefixtures("servers")
@pytest.mark.parametrize(("variables", "subject", "exercise"), each_with_its_servers(EXERCISES))
def test_all_other_solutions_pass_or_fail_by_their_shape(
    variables: dict[str, str], subject: LessonSource, exercise: Exercise
) -> None:
    some = some_of(subject, exercise)
    right = tuple(one for one in exercise.right if one not in some.right)
    wrong = tuple(one for one in exercise.wrong if one not in some.wrong)
    assert not problems(subject, replace(exercise, right=right, wrong=wrong))
