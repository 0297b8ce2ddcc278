"""Predict, then reveal: the questions of a lesson as a form, and the answers of the recordings.

The page judges by the ``data-`` attributes, computed by the functions that also judge in the terminal.
Not here: the behaviour (see ``docs/assets/predict.js``) or the judging (see ``course.content.predictions``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import permutations
from typing import Final

from asyncdemo.analysis.metrics import Metrics, measure
from asyncdemo.course.content.figures import figure
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.lesson import Lesson
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import (
    Prediction,
    PredictionKind,
    compare,
    fill,
    happened,
    variants_needed,
)
from asyncdemo.errors import CourseError
from asyncdemo.model import Run
from asyncdemo.render.html.page import coded
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.timelines import recorded_lesson
from asyncdemo.testing.checks.words import singular

_INTRO: Final = "Answer before you look; any question can be left out. Nothing you enter leaves this page."


@formatter
def fence(source: str) -> str:
    """Settings: ``lesson: ID``."""
    return predict_html(*recorded_lesson(settings(source, {"lesson"})["lesson"]))


def predict_html(lesson: Lesson, runs: Sequence[Run]) -> str:
    """Return the form. ``runs``: one of each variant, with the knobs as written.

    Raises CourseError if the runs leave a question without an answer.
    """
    knobs = values(lesson, {})
    measured = {run.name: measure(run) for run in runs}
    variants = tuple(variant.name for variant in lesson.variants)
    questions = [
        _Question(place, prediction, variants, knobs, measured, f"predict-{lesson.id}-{place}")
        for place, prediction in enumerate(lesson.predictions, start=1)
    ]
    asked = "".join(question.html() for question in questions)
    answers = "".join(f"<li>{question.told()}</li>" for question in questions)
    # `method=dialog` outside of a dialog sends nothing, so Enter does no harm without scripts.
    return (
        f'<form class="predict" id="predict-{escape(lesson.id)}" data-lesson="{escape(lesson.id)}" '
        'method="dialog" autocomplete="off" data-search-exclude>'
        f'<p class="predict-intro">{_INTRO}</p>'
        f"{asked}"
        '<p class="predict-ask"><button type="submit" class="predict-show md-button md-button--primary">'
        'Show what happened</button></p><p class="predict-status" role="status"></p>'
        f'<div class="predict-printed"><p>What happened:</p><ol>{answers}</ol></div></form>'
    )


def judging(
    prediction: Prediction, variants: Sequence[str], measured: Mapping[str, Metrics], knobs: Knobs
) -> dict[str, str]:
    """Return the ``data-`` attributes, name -> value, by which the page recognizes right answers.

    A number: ``value``, and ``within``, the tolerance; a choice: the ``place`` of the right one; an order:
    all ``orders`` that count as right. Raises CourseError if there is no right answer.
    """
    missing = set(variants_needed(prediction, variants)) - set(measured)
    if missing:
        raise CourseError(f"No run of {', '.join(sorted(missing))} answers {prediction.question!r}")
    if prediction.kind is PredictionKind.CHOICE:
        texts = [fill(choice.text, knobs) for choice in prediction.choices]
        answer = happened(prediction, measured, knobs)
        if answer not in texts:
            raise CourseError(f"It was {answer}, which is none of the choices of {prediction.question!r}")
        return {"place": str(texts.index(answer))}
    if prediction.kind is PredictionKind.ORDER:
        right = [
            " ".join(order)
            for order in permutations(variants)
            if compare(prediction, order, measured, knobs).right
        ]
        return {"orders": ",".join(right)}
    value = figure(measured[prediction.variant], prediction.metric)
    return {"value": repr(value), "within": repr(prediction.tolerance * abs(value))}


@dataclass(frozen=True, slots=True)
class _Question:
    """A question. ``group`` is common to its radio buttons."""

    place: int
    prediction: Prediction
    variants: tuple[str, ...]
    knobs: Knobs
    measured: Mapping[str, Metrics]
    group: str

    def html(self) -> str:
        kind = self.prediction.kind
        judged = judging(self.prediction, self.variants, self.measured, self.knobs)
        if kind is PredictionKind.NUMBER:
            judged |= {"unit": self.prediction.unit, "one": singular(self.prediction.unit)}
        data = "".join(f' data-{name}="{escape(value)}"' for name, value in judged.items())
        fields = {
            PredictionKind.NUMBER: self._number,
            PredictionKind.CHOICE: self._choices,
            PredictionKind.ORDER: self._order,
        }[kind]
        return (
            f'<fieldset class="predict-question" data-kind="{kind}"{data}>'
            f"<legend>{self.place}. {self._asked()}</legend>"
            f"{''.join(fields())}"
            '<details class="predict-answer"><summary>What happened</summary>'
            f'<div class="predict-happened">{self.told()}</div></details></fieldset>'
        )

    def told(self) -> str:
        """Return what happened, and why."""
        was = coded(happened(self.prediction, self.measured, self.knobs)).rstrip(".")
        tie = " (= is a tie)" if self.prediction.kind is PredictionKind.ORDER and " = " in was else ""
        why = coded(fill(self.prediction.why, self.knobs))
        return f"<p>In the recording: <strong>{was}</strong>{tie}.</p><p>{why}</p>"

    def _asked(self) -> str:
        """Return the question; most begin with the name of the variant that they are about."""
        words = coded(fill(self.prediction.question, self.knobs))
        name, colon, rest = words.partition(":")
        return f"<code>{name}</code>{colon}{rest}" if name in self.variants else words

    def _number(self) -> Iterator[str]:
        yield (
            '<label class="predict-number">Your answer <input type="number" min="0" step="any" '
            f'inputmode="decimal"> {escape(self.prediction.unit)}</label>'
        )

    def _choices(self) -> Iterator[str]:
        for place, choice in enumerate(self.prediction.choices):
            yield (
                f'<label class="predict-choice"><input type="radio" name="{self.group}" value="{place}"> '
                f"<span>{coded(fill(choice.text, self.knobs))}</span></label>"
            )

    def _order(self) -> Iterator[str]:
        yield '<ol class="predict-order">'
        for name in map(escape, self.variants):
            yield f'<li data-name="{name}"><code>{name}</code>'
            for word, by, arrow in (("up", -1, "\u2191"), ("down", 1, "\u2193")):
                yield (
                    f'<button type="button" class="predict-move" data-by="{by}" '
                    f'aria-label="Move {name} {word}">{arrow}</button>'
                )
            yield "</li>"
        yield "</ol>"
        yield '<label class="predict-choice"><input type="checkbox"> <span>This is my order</span></label>'
