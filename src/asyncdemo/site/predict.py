"""Predict, then reveal: the fences ``predict``, a lesson's questions as a form, and ``draw``.

The page judges by the ``data-`` attributes, computed by the functions that also judge in the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    actual_answer,
    compare,
    fill,
    offered,
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
    asked, answers = "", ""
    for place, prediction in enumerate(lesson.predictions, start=1):
        data = judging(prediction, variants, measured, knobs)
        attributes = "".join(f' data-{key}="{escape(value)}"' for key, value in data.items())
        words = coded(fill(prediction.question, knobs))
        name, colon, rest = words.partition(":")  # most begin with the variant that they are about
        words = f"<code>{name}</code>{colon}{rest}" if name in variants else words
        fields = "".join(_fields(prediction, variants, knobs, f"predict-{lesson.id}-{place}"))
        answer = _answer_html(prediction, measured, knobs)
        asked += (
            f'<fieldset class="predict-question" data-kind="{prediction.kind}"'
            f"{attributes}>"
            f"<legend>{place}. {words}</legend>{fields}"
            '<details class="predict-answer"><summary>What happened</summary>'
            f'<div class="predict-happened">{answer}</div></details></fieldset>'
        )
        answers += f"<li>{answer}</li>"
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


def _fields(prediction: Prediction, variants: Sequence[str], knobs: Knobs, group: str) -> Iterator[str]:
    """Yield the inputs. ``group`` is common to radio buttons."""
    match prediction.kind:
        case PredictionKind.NUMBER:
            yield (
                '<label class="predict-number">Your answer <input type="number" min="0" step="any" '
                f'inputmode="decimal"> {escape(prediction.unit)}</label>'
            )
        case PredictionKind.CHOICE:
            for place, text in enumerate(offered(prediction, knobs)):
                yield (
                    f'<label class="predict-choice"><input type="radio" name="{group}" value="{place}"> '
                    f"<span>{coded(text)}</span></label>"
                )
        case PredictionKind.ORDER:
            yield '<ol class="predict-order">'
            for name in map(escape, variants):
                yield f'<li data-name="{name}"><code>{name}</code>'
                for word, by, arrow in (("up", -1, "\u2191"), ("down", 1, "\u2193")):
                    yield (
                        f'<button type="button" class="predict-move" data-by="{by}" '
                        f'aria-label="Move {name} {word}">{arrow}</button>'
                    )
                yield "</li>"
            yield '</ol><label class="predict-choice"><input type="checkbox"> '
            yield "<span>This is my order</span></label>"


def _answer_html(prediction: Prediction, measured: Mapping[str, Metrics], knobs: Knobs) -> str:
    """Return what happened, and why."""
    was = coded(actual_answer(prediction, measured, knobs)).rstrip(".")
    tie = " (= is a tie)" if prediction.kind is PredictionKind.ORDER and " = " in was else ""
    why = coded(fill(prediction.why, knobs))
    return f"<p>In the recording: <strong>{was}</strong>{tie}.</p><p>{why}</p>"


def judging(
    prediction: Prediction, variants: Sequence[str], measured: Mapping[str, Metrics], knobs: Knobs
) -> dict[str, str]:
    """Return the ``data-`` attributes, name -> value, by which the page recognizes right answers.

    A number: ``value``, ``within``, the tolerance, and its unit, also for ``one``; a choice: the ``place`` of
    the right one; an order: all ``orders`` that count as right. Raises CourseError if there is no right
    answer.
    """
    missing = set(variants_needed(prediction, variants)) - set(measured)
    if missing:
        raise CourseError(f"No run of {', '.join(sorted(missing))} answers {prediction.question!r}")
    if prediction.kind is PredictionKind.CHOICE:
        texts = offered(prediction, knobs)
        answer = actual_answer(prediction, measured, knobs)
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
    within = repr(prediction.tolerance * abs(value))
    unit = prediction.unit
    return {"value": repr(value), "within": within, "unit": unit, "one": singular(unit)}


@formatter
def draw(source: str) -> str:
    """Settings: ``lesson: ID``."""
    return draw_html(*recorded_lesson(settings(source, {"lesson"})["lesson"]))


def draw_html(lesson: Lesson, runs: Sequence[Run]) -> str:
    """Return the form. ``runs``: one of each variant; the longest fills two thirds of the scale."""
    seconds = {run.name: measure(run).wall_ns / 1e9 for run in runs}
    scale_s = round(1.5 * max(seconds.values()), 1)
    titles = {variant.name: variant.title for variant in lesson.variants}
    rows = "".join("".join(_bar(name, titles[name], took, scale_s)) for name, took in seconds.items())
    return (
        f'<form class="draw" method="dialog" autocomplete="off" data-scale="{scale_s}" data-search-exclude>'
        f'{rows}<p class="draw-ask"><button type="submit" class="md-button md-button--primary">'
        'Play the recording</button></p><p class="draw-status" role="status"></p></form>'
    )


def _bar(name: str, title: str, took_s: float, scale_s: float) -> Iterator[str]:
    yield f'<div class="draw-row" data-took="{took_s:.3f}" data-name="{escape(name)}">'
    yield f"<label><code>{escape(name)}</code> {escape(title)}"
    yield f'<input type="range" min="0" max="{scale_s}" step="0.1" value="0"></label>'
    yield '<output class="draw-drawn"></output><div class="draw-track"><div class="draw-bar"></div></div>'
    yield f'<span class="draw-took">{took_s:.2f} s</span></div>'
