"""What the texts claim holds in real runs, and what the predictions ask has one right answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import pytest

from asyncdemo.course.claims import Claim, check
from asyncdemo.course.knobs import values
from asyncdemo.course.lesson import Lesson, Variant
from asyncdemo.course.predictions import PredictionKind, happened
from asyncdemo.metrics import Metrics, measure
from asyncdemo.model import Run
from asyncdemo.runner import Options, Recording, Stdout, Target
from tests.lessons.lessons import LESSONS

Settings = tuple[tuple[str, str], ...]


def settings_of(claim: Claim) -> Settings:
    return tuple((name, str(value)) for name, value in claim.knobs.items())


CASES = [
    (lesson, settings)
    for lesson in LESSONS
    for settings in dict.fromkeys([(), *(settings_of(claim) for claim in lesson.claims)])
]


def recorded(lesson: Lesson, variants: Sequence[Variant], settings: Mapping[str, str]) -> dict[str, Run]:
    """Runs of the variants, side by side if the lesson allows it."""
    runs = {}
    heats = [variants] if lesson.race else [[variant] for variant in variants]
    for heat in heats:
        with ExitStack() as stack:
            recordings = {}
            for variant in heat:
                options = Options(variant.name, lesson.lanes, settings, timeout_s=60, stdout=Stdout.TO_STDERR)
                recordings[variant.name] = stack.enter_context(Recording(Target(str(variant.path)), options))
            for recording in recordings.values():
                recording.start()
            for recording in recordings.values():
                recording.go()
            going = list(recordings.values())
            while going:
                going = [recording for recording in going if recording.poll(0.02)]
            runs.update({name: recording.result() for name, recording in recordings.items()})
    return runs


def variants_of(claims: Sequence[Claim]) -> set[str]:
    """Those that must run for the claims to be checked."""
    named = {claim.condition.variant for claim in claims}
    others = {
        str(claim.condition.value).partition(".")[0]
        for claim in claims
        if isinstance(claim.condition.value, str)
    }
    return named | others


@pytest.mark.alone
@pytest.mark.parametrize(
    ("lesson", "settings"),
    CASES,
    ids=[
        "-".join([lesson.id, *(f"{name}={value}" for name, value in settings)]) for lesson, settings in CASES
    ],
)
def test_the_claims_of_a_lesson_hold(lesson: Lesson, settings: Settings) -> None:
    claims = [claim for claim in lesson.claims if settings_of(claim) == settings]
    needed = variants_of(claims)
    variants = [variant for variant in lesson.variants if not settings or variant.name in needed]
    runs = recorded(lesson, variants, dict(settings))
    assert {name: run.outcome.value for name, run in runs.items()} == {
        item.name: item.expect for item in variants
    }
    measured = {name: measure(run) for name, run in runs.items()}
    knobs = values(lesson, dict(settings))
    wrong = []
    for claim in claims:
        verdict = check(claim.condition, measured, knobs)
        if not verdict.holds:
            at = f"{claim.condition.variant} {claim.condition.metric}"
            wrong.append(
                f"{claim.text!r}: {at} is {verdict.measured:g}, not {claim.condition.op} {verdict.expected:g}"
            )
    assert not wrong
    if not settings:
        assert_predictions_can_be_judged(lesson, measured)


def assert_predictions_can_be_judged(lesson: Lesson, measured: Mapping[str, Metrics]) -> None:
    """Every question has an answer, and for a choice it is one of those offered."""
    knobs = values(lesson, {})
    for prediction in lesson.predictions:
        answer = happened(prediction, measured, knobs)
        assert answer
        if prediction.kind is PredictionKind.CHOICE:
            assert any(check(choice.condition, measured, knobs).holds for choice in prediction.choices)
