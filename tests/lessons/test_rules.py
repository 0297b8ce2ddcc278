"""Every lesson keeps every rule: one test for each rule that only reads, one for each lesson that must run.

The rules themselves are ``asyncdemo.course.rules``; that each of them catches what it is for is tested in
``tests/unit/course/test_rules*.py``.
"""

from __future__ import annotations

import pytest

from asyncdemo.course.rules import RULES, SLOW_RULES, Rule, Subject
from tests.lessons.lessons import COURSE, SUBJECTS, each_with_its_servers, told


def test_every_manifest_can_be_read_and_every_lesson_is_listed() -> None:
    assert not told(COURSE.problems)


def test_there_are_lessons() -> None:
    assert SUBJECTS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_lesson_keeps(rule: Rule) -> None:
    assert not told(problem for subject in SUBJECTS for problem in rule.problems(subject))


@pytest.mark.parametrize(
    ("variables", "subject", "rule"),
    each_with_its_servers(
        (subject, f"{rule.name}-{subject.lesson.id}", rule) for subject in SUBJECTS for rule in SLOW_RULES
    ),
)
def test_a_lesson_keeps_when_it_runs(
    variables: dict[str, str], subject: Subject, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert not told(rule.problems(subject))
