"""What the texts claim holds in runs, and what the predictions ask has one right answer.

The site records each lesson once a change, in real time (``make docs``): its recordings are held against the
claims. What it has not recorded runs here: in virtual time where the manifest says that the lesson's programs
allow it, since nothing makes them late there; else alone if a claim is about a time, which others would
stretch. Those are for a release, since all others wait meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from asyncdemo.course.rules import LessonSource
from asyncdemo.course.rules.manifests import Settings, settings_of
from asyncdemo.course.rules.runs import knob_sets, problems_of_runs
from tests.lessons.lessons import SUBJECTS, each_with_its_servers, is_virtual, lines_of, recordings_of
from tests.support.servers import is_default

CASES = [
    (subject, "-".join([subject.lesson.id, *(f"{name}={value}" for name, value in settings)]), settings)
    for subject in SUBJECTS
    for settings in knob_sets(subject)
]

TIMES: Final = ("_s", "_ms", "blocks")
"""How the figures end that another program on the same processors changes; counts and sizes it does not."""


def tells_a_time(subject: LessonSource, settings: Settings) -> bool:
    claims = (claim for claim in subject.lesson.claims if settings_of(claim) == settings)
    return any(claim.condition.metric.partition("(")[0].endswith(TIMES) for claim in claims)


@pytest.mark.parametrize(
    ("variables", "subject", "settings"), each_with_its_servers(case for case in CASES if is_virtual(case[0]))
)
def test_the_claims_of_a_lesson_hold(
    variables: dict[str, str], subject: LessonSource, settings: Settings
) -> None:
    recorded = None if settings else recordings_of(subject)
    assert not lines_of(problems_of_runs(subject, settings, recorded, virtual=True))


REAL = [case for case in CASES if not is_virtual(case[0])]
ALONE = [case for case in REAL if case[2] and tells_a_time(case[0], case[2])]
IN_REAL_TIME = [
    *each_with_its_servers(case for case in REAL if case not in ALONE),
    *(
        pytest.param(*one.values, id=one.id, marks=[*one.marks, pytest.mark.alone, pytest.mark.release])
        for one in each_with_its_servers(ALONE)
    ),
]


@pytest.mark.usefixtures("servers")
@pytest.mark.parametrize(("variables", "subject", "settings"), IN_REAL_TIME)
def test_the_claims_of_a_lesson_hold_in_real_time(
    variables: dict[str, str],
    subject: LessonSource,
    settings: Settings,
    become_alone: Callable[[], None],
) -> None:
    recorded = None if settings or not is_default(variables) else recordings_of(subject)
    if recorded is None and not settings and tells_a_time(subject, settings):
        become_alone()
    assert not lines_of(problems_of_runs(subject, settings, recorded))
