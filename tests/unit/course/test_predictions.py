"""Claims and predictions: holding them against the figures of runs, and understanding an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.analysis.metrics.cpu import Idle
from asyncdemo.course.content.claims import Condition, check
from asyncdemo.course.content.predictions import (
    Answer,
    Choice,
    Prediction,
    PredictionKind,
    actual_answer,
    compare,
    fill,
    offered,
    parse,
    variants_needed,
)
from asyncdemo.course.judging.answers import judge_answers
from tests.support.predicted import metrics

VARIANTS = ("blocking", "threaded", "awaited")
KNOBS = {"BREWS": 10, "BREW_S": 0.3}

SECONDS = Prediction(PredictionKind.NUMBER, "How long?", "So.", "wall_s", "blocking", "s", tolerance=0.1)
COUNT = Prediction(PredictionKind.NUMBER, "How many?", "So.", "peak", "blocking", "brews")
ORDER = Prediction(PredictionKind.ORDER, "Which first?", "So.", "wall_s", tolerance=0.25)
CHOICE = Prediction(
    PredictionKind.CHOICE,
    "How many?",
    "So.",
    "peak",
    "blocking",
    choices=(
        Choice("one", Condition("blocking", "peak", "==", 1)),
        Choice("all {BREWS}", Condition("blocking", "peak", "==", "BREWS")),
    ),
)


@pytest.mark.parametrize(
    ("prediction", "typed", "answer"),
    [
        (SECONDS, "3", 3.0),
        (SECONDS, " 0.5 ", 0.5),
        (SECONDS, ".5s", 0.5),
        (SECONDS, "300 ms", 0.3),
        (SECONDS, "3 seconds", 3.0),
        (COUNT, "10 brews", 10.0),
        (CHOICE, "1", "one"),
        (CHOICE, "b", "all 10"),
        (ORDER, "2 3 1", ("threaded", "awaited", "blocking")),
        (ORDER, "231", ("threaded", "awaited", "blocking")),
        (ORDER, "awaited, threaded, blocking", ("awaited", "threaded", "blocking")),
        (ORDER, "a < t < b", ("awaited", "threaded", "blocking")),
    ],
)
def test_what_people_type_is_understood(prediction: Prediction, typed: str, answer: Answer) -> None:
    assert parse(prediction, typed, VARIANTS, KNOBS) == answer


@pytest.mark.parametrize(
    ("prediction", "typed"),
    [
        (SECONDS, "long"),
        (SECONDS, "-1"),
        (SECONDS, "1 2"),
        (SECONDS, ",5"),
        (SECONDS, "1,000.5 s"),
        (CHOICE, "3"),
        (CHOICE, "0"),
        (CHOICE, "c"),
        (CHOICE, "one or all"),
        (ORDER, "1 2"),
        (ORDER, "1 2 2"),
        (ORDER, "1 2 4"),
        (ORDER, "all"),
    ],
)
def test_what_cannot_be_understood_says_what_to_type(prediction: Prediction, typed: str) -> None:
    with pytest.raises(ValueError, match="type "):
        parse(prediction, typed, VARIANTS, KNOBS)


def test_the_hint_holds_no_number_that_could_be_the_answer() -> None:
    with pytest.raises(ValueError, match="type a number") as raised:
        parse(SECONDS, "long", VARIANTS, KNOBS)
    assert not any(char.isdecimal() for char in str(raised.value))


@pytest.mark.parametrize(("answer", "right"), [(3.0, True), (3.2, True), (2.7, False), (30.0, False)])
def test_a_number_is_right_within_its_tolerance(answer: float, right: bool) -> None:
    comparison = compare(SECONDS, answer, {"blocking": metrics(wall_s=3.02)}, KNOBS)
    assert comparison.right is right
    assert comparison.actual == "3.02 s"


@pytest.mark.parametrize(
    ("answer", "explains"), [(1.0, False), (2.0, True), (2.8, False), (3.0, False), (9.0, False)]
)
def test_time_without_a_cpu_may_explain_why_it_took_longer(answer: float, explains: bool) -> None:
    measured = {"blocking": replace(metrics(wall_s=3.0), idle=Idle(unobserved_ns=10**9))}
    (judged,) = judge_answers([SECONDS], {0: answer}, measured, KNOBS)
    assert ("had no CPU for 1.00 s" in judged.sentence) == explains
    assert (judged.right is None) == explains


def test_without_a_tolerance_only_the_exact_number_is_right() -> None:
    measured = {"blocking": metrics(peak=10)}
    assert compare(COUNT, 10.0, measured, KNOBS).right
    assert not compare(COUNT, 9.0, measured, KNOBS).right
    assert compare(COUNT, 9.0, measured, KNOBS).predicted == "9 brews"


def test_the_right_choice_follows_from_the_run() -> None:
    alone, together = {"blocking": metrics(peak=1)}, {"blocking": metrics(peak=10)}
    assert compare(CHOICE, "one", alone, KNOBS).right
    assert not compare(CHOICE, "one", together, KNOBS).right
    assert compare(CHOICE, "all 10", together, KNOBS).right


def test_if_no_choice_is_right_the_figure_itself_is_shown() -> None:
    assert actual_answer(CHOICE, {"blocking": metrics(peak=4)}, KNOBS) == "4"


def test_variants_that_tie_may_be_named_in_either_order() -> None:
    measured = {"blocking": metrics(3.0), "threaded": metrics(0.31), "awaited": metrics(0.30)}
    assert compare(ORDER, ("threaded", "awaited", "blocking"), measured, KNOBS).right
    assert compare(ORDER, ("awaited", "threaded", "blocking"), measured, KNOBS).right
    assert not compare(ORDER, ("awaited", "blocking", "threaded"), measured, KNOBS).right
    assert actual_answer(ORDER, measured, KNOBS) == "awaited = threaded, blocking"


def test_choices_that_other_knobs_make_equal_are_offered_once() -> None:
    assert offered(CHOICE, {"BREWS": 3}) == ["one", "all 3"]
    assert offered(CHOICE, {"BREWS": 1}) == ["one"]


def test_knobs_stand_in_the_texts() -> None:
    assert fill("{BREWS} brews of {BREW_S} s", KNOBS) == "10 brews of 0.3 s"
    assert fill("a set {1} and {lower}", KNOBS) == "a set {1} and {lower}"


def test_a_question_that_compares_variants_needs_all_of_them() -> None:
    longer = Choice("longer", Condition("awaited", "wall_s", ">", "blocking.wall_s"))
    compared = Prediction(PredictionKind.CHOICE, "?", "So.", "wall_s", "awaited", choices=(longer,))
    assert variants_needed(compared, VARIANTS) == ("awaited", "blocking")
    assert variants_needed(CHOICE, VARIANTS) == ("blocking",)
    assert variants_needed(ORDER, VARIANTS) == VARIANTS


MEASURED = {"blocking": metrics(3.0, peak=1), "awaited": metrics(0.3, peak=10)}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Condition("awaited", "peak", "==", 10), True),
        (Condition("awaited", "peak", "==", 9), False),
        (Condition("awaited", "peak", "==", "BREWS"), True),
        (Condition("awaited", "peak", "<=", "BREWS", times=0.5), False),
        (Condition("awaited", "wall_s", "<", "blocking.wall_s", times=0.2), True),
        (Condition("blocking", "wall_s", "<", "awaited.wall_s"), False),
        (Condition("blocking", "wall_s", "about", "awaited.wall_s", times=10), True),
        (Condition("blocking", "wall_s", "about", 2.8, tolerance=0.1), True),
        (Condition("blocking", "wall_s", "about", 2.5, tolerance=0.1), False),
        (Condition("blocking", "wall_s", ">=", 3.0), True),
        (Condition("blocking", "wall_s", ">", 3.0), False),
    ],
)
def test_condition_compares_figures_with_numbers_knobs_or_runs(condition: Condition, holds: bool) -> None:
    assert check(condition, MEASURED, KNOBS).holds is holds
