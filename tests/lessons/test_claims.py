"""What the texts claim holds in real runs, and what the predictions ask has one right answer."""

from __future__ import annotations

import pytest

from asyncdemo.course.rules import Subject
from asyncdemo.course.rules.asked import Settings
from asyncdemo.course.rules.runs import knob_sets, problems_of_runs
from tests.lessons.lessons import SUBJECTS, told

CASES = [(subject, settings) for subject in SUBJECTS for settings in knob_sets(subject)]
NAMES = [
    "-".join([subject.lesson.id, *(f"{name}={value}" for name, value in settings)])
    for subject, settings in CASES
]


@pytest.mark.alone
@pytest.mark.parametrize(("subject", "settings"), CASES, ids=NAMES)
def test_the_claims_of_a_lesson_hold(subject: Subject, settings: Settings) -> None:
    assert not told(problems_of_runs(subject, settings))
