"""Predictions: a question about a run, an answer to it, and the comparison with what happened.

Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

from asyncdemo.course.content.claims import Condition, check
from asyncdemo.course.content.figures import figure
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.testing.checks.words import singular

if TYPE_CHECKING:
    from asyncdemo.analysis.metrics import Metrics

Answer = float | str | tuple[str, ...]
"""A number, the text of a choice, or names of variants in order."""


class PredictionKind(StrEnum):
    NUMBER = "number"
    CHOICE = "choice"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the offered answers. The first whose condition holds is the right one."""

    text: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Prediction:
    """A question whose answer is a figure of a run.

    Attributes:
        question, why, choices: Texts in which ``{KNOB}`` stands for the value of a knob.
        variant: Whose figure it asks for; "" for an order, which compares all variants.
        tolerance: How far off an answer may be, as a share of the figure; 0 means exactly. For an order:
        figures closer than this are a tie, in either order.
    """

    kind: PredictionKind
    question: str
    why: str
    metric: str
    variant: str = ""
    unit: str = ""
    tolerance: float = 0.0
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether an answer is right, and the two answers in words, for display."""

    right: bool
    predicted: str
    actual: str


def fill(text: str, knobs: Knobs) -> str:
    """Replace each ``{KNOB}`` in the text by its value."""
    return re.sub(r"\{([A-Z][A-Z0-9_]*)\}", lambda match: str(knobs[match[1]]), text)


def offered(prediction: Prediction, knobs: Knobs) -> list[str]:
    """Return the texts of the choices; of choices that mean the same with these knobs, only the first."""
    texts: dict[Condition, str] = {}
    for choice in prediction.choices:
        condition = choice.condition
        value = knobs.get(str(condition.value), condition.value)
        if not isinstance(value, str):
            condition = replace(condition, value=condition.times * value, times=1)
        texts.setdefault(condition, fill(choice.text, knobs))
    return list(texts.values())


def variants_needed(prediction: Prediction, variants: Sequence[str]) -> tuple[str, ...]:
    """Return the variants that must have run before the prediction can be judged."""
    if prediction.kind is PredictionKind.ORDER:
        return tuple(variants)
    conditions = (choice.condition for choice in prediction.choices)
    compared = (name for condition in conditions for name in condition.variants)
    return tuple(dict.fromkeys((prediction.variant, *compared)))


def parse(prediction: Prediction, text: str, variants: Sequence[str], knobs: Knobs) -> Answer:
    """Parse what a learner typed. Raises ValueError with a text that says what to type."""
    typed = text.strip().lower()
    if prediction.kind is PredictionKind.NUMBER:
        return _number(typed, prediction.unit)
    if prediction.kind is PredictionKind.CHOICE:
        texts = offered(prediction, knobs)
        return texts[_place(typed, len(texts))]
    return _order(typed, variants)


def actual_answer(prediction: Prediction, measured: Mapping[str, Metrics], knobs: Knobs) -> str:
    """Return the right answer in words. ``measured`` maps variants to metrics."""
    if prediction.kind is PredictionKind.ORDER:
        figures = {name: figure(metrics, prediction.metric) for name, metrics in measured.items()}
        return _ranking(figures, prediction.tolerance)
    actual = quantity(figure(measured[prediction.variant], prediction.metric), prediction.unit)
    for choice in prediction.choices:
        if check(choice.condition, measured, knobs).holds:
            return fill(choice.text, knobs)
    return actual


def compare(
    prediction: Prediction, answer: Answer, measured: Mapping[str, Metrics], knobs: Knobs
) -> Comparison:
    """Compare the answer with the learner's own run. ``measured`` maps variants to metrics."""
    actual, predicted = actual_answer(prediction, measured, knobs), answer_words(prediction, answer)
    if isinstance(answer, str):
        return Comparison(answer == actual, predicted, actual)
    if isinstance(answer, tuple):
        figures = [figure(measured[name], prediction.metric) for name in answer]
        right = all(
            first <= second * (1 + prediction.tolerance) for first, second in combinations(figures, 2)
        )
        return Comparison(right, predicted, actual)
    value = figure(measured[prediction.variant], prediction.metric)
    right = abs(answer - value) <= prediction.tolerance * abs(value)
    return Comparison(right, predicted, actual)


def without_cpu_ns(prediction: Prediction, answer: Answer, measured: Mapping[str, Metrics]) -> int:
    """Return how long the program had no CPU, if that explains why it took longer than predicted; else 0."""
    unit_ns = {"s": 1e9, "ms": 1e6}.get(prediction.unit)
    if unit_ns is None or not isinstance(answer, float):
        return 0
    metrics = measured[prediction.variant]
    too_long = figure(metrics, prediction.metric) * (1 - prediction.tolerance) - answer
    return metrics.idle.unobserved_ns if 0 < too_long * unit_ns <= metrics.idle.unobserved_ns else 0


def answer_words(prediction: Prediction, answer: Answer) -> str:
    if isinstance(answer, str):
        return answer
    return ", ".join(answer) if isinstance(answer, tuple) else quantity(answer, prediction.unit)


def quantity(value: float, unit: str) -> str:
    """Return a figure in words: counts as whole numbers, anything else with three significant digits."""
    whole = value == int(value) or abs(value) >= 100
    number = f"{value:.0f}" if whole else f"{value:#.3g}"
    return f"{number} {singular(unit) if value == 1 else unit}".strip()


def _number(typed: str, unit: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:,[0-9]+)*(?:[.,][0-9]+)?|[.,][0-9]+)\s*([a-z]*)", typed)
    if match is None:
        # No example: any number here would be close to some answer.
        raise ValueError(f"type a number{f' ({unit})' if unit else ''}, in digits")
    if "," in match[1]:
        raise ValueError("type it without a comma: a point before decimals, nothing between thousands")
    value = float(match[1])
    return value / 1000 if unit == "s" and match[2] in ("ms", "milliseconds") else value


def _place(typed: str, count: int) -> int:
    place = (
        ord(typed) - ord("a") if re.fullmatch("[a-z]", typed) else int(typed) - 1 if typed.isdecimal() else -1
    )
    if not 0 <= place < count:
        raise ValueError(f"type a number from 1 to {count}")
    return place


def _order(typed: str, variants: Sequence[str]) -> tuple[str, ...]:
    words = re.split(r"[\s,<>=]+", typed.strip(" ,"))
    if len(words) == 1 and len(typed) == len(variants) and not typed.isalpha():
        words = list(typed)  # "231"
    names = []
    for word in words:
        if word.isdecimal() and 1 <= int(word) <= len(variants):
            names.append(variants[int(word) - 1])
        else:
            names.extend(name for name in variants if word and name.startswith(word))
    if sorted(names) != sorted(variants):
        raise ValueError(f"type each of the numbers 1 to {len(variants)} once, with spaces between them")
    return tuple(names)


def _ranking(figures: Mapping[str, float], tolerance: float) -> str:
    """Return names ordered by figure, joined by "=" if within the tolerance of the first in their group."""
    words: list[str] = []
    leader = 0.0
    for name, value in sorted(figures.items(), key=lambda item: item[1]):
        if words and value <= leader * (1 + tolerance):
            words[-1] += f" = {name}"
        else:
            words.append(name)
            leader = value
    return ", ".join(words)
