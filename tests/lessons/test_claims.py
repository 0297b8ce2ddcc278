"""What the texts claim holds in real runs, and what the predictions ask has one right answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asyncdemo.course.rules import Subject
from asyncdemo.course.rules.questions_and_claims import Settings
from asyncdemo.course.rules.runs import knob_sets, problems_of_runs
from tests.lessons.lessons import SUBJECTS, each_with_its_servers, told

CASES = [
    (subject, "-".join([subject.lesson.id, *(f"{name}={value}" for name, value in settings)]), settings)
    for subject in SUBJECTS
    for settings in knob_sets(subject)
]


@pytest.mark.parametrize(("variables", "subject", "settings"), each_with_its_servers(CASES))
def test_the_claims_of_a_lesson_hold(
    variables: dict[str, str],
    subject: Subject,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    become_alone: Callable[[], None],
) -> None:
    """Many are about time, which other tests take: what does not hold alone either does not hold."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if told(problems_of_runs(subject, settings)):
        become_alone()
        assert not told(problems_of_runs(subject, settings))
