"""Rules about the questions and claims of a lesson that need no run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from asyncdemo.course.content.claims import ABOUT, Claim
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.predictions import Prediction, PredictionKind
from asyncdemo.course.rules.lesson_source import LessonSource
from asyncdemo.course.rules.problem import Fault, Rule
from asyncdemo.errors import AsyncdemoError

Settings = tuple[tuple[str, str], ...]
"""Knobs to set, as a user types them."""


def settings_of(claim: Claim) -> Settings:
    return tuple((name, str(value)) for name, value in claim.knobs.items())


def predictions(source: LessonSource) -> Iterator[Fault]:
    asked = source.lesson.predictions
    if not asked:
        yield Fault("asks for no predictions: [[predictions]] is missing", source.manifest)
    if len({variant.name for variant in source.lesson.variants}) < 2 and any(
        prediction.kind is PredictionKind.ORDER for prediction in asked
    ):
        yield Fault("an order needs at least two variants", source.manifest)
    for place, prediction in enumerate(asked, start=1):
        for field, message in _faults_of_prediction(prediction):
            line = source.manifest_line(f"predictions[{place}].{field}")
            yield Fault(message, source.manifest, line)


def claims(source: LessonSource) -> Iterator[Fault]:
    lesson = source.lesson
    if not lesson.claims:
        yield Fault("claims nothing about its runs: [[claims]] is missing", source.manifest)
    for place, claim in enumerate(lesson.claims, start=1):
        condition = claim.condition
        if condition.op == "==" and (kind := _inexact(condition.metric)) and condition.value != 0:
            line = source.manifest_line(f"claims[{place}].op")
            message = f"no {kind} is exactly the same twice: op = {ABOUT!r} for {condition.metric}"
            yield Fault(message, source.manifest, line)
        try:
            values(lesson, dict(settings_of(claim)))
        except (AsyncdemoError, KeyError) as error:
            line = source.manifest_line(f"claims[{place}].knobs")
            yield Fault(str(error).splitlines()[0], source.manifest, line)


def words(source: LessonSource) -> Iterator[Fault]:
    """Check that texts of the manifest for learners are not empty, and that names are unique."""
    lesson = source.lesson
    texts = {"title": lesson.title, "question": lesson.question, "point": lesson.point}
    for place, variant in enumerate(lesson.variants, start=1):
        texts[f"variants[{place}].title"] = variant.title
    for place, knob in enumerate(lesson.knobs, start=1):
        texts[f"knobs[{place}].meaning"] = knob.meaning
    for field, text in texts.items():
        if not text.strip():
            yield Fault(f"{field} is empty", source.manifest, source.manifest_line(field))
    for kind, names in (
        ("variants", [variant.name for variant in lesson.variants]),
        ("variants", [variant.path.name for variant in lesson.variants]),
        ("knobs", [knob.name for knob in lesson.knobs]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                yield Fault(f"{count} {kind} are called {name}", source.manifest)


def _faults_of_prediction(prediction: Prediction) -> Iterator[tuple[str, str]]:
    """Yield (field, message)."""
    if not prediction.question.strip():
        yield "question", "asks nothing"
    if not prediction.why.strip():
        yield "why", "has no why"
    kind = _inexact(prediction.metric)
    if kind and prediction.kind is not PredictionKind.CHOICE and prediction.tolerance <= 0:
        yield "tolerance", f"no {kind} is exactly the same twice: {prediction.metric} needs a tolerance"
    texts = [choice.text for choice in prediction.choices]
    if len(set(texts)) < len(texts):
        yield "choices", "offers the same choice twice"
    if len(texts) == 1:
        yield "choices", "offers only one choice"


def _inexact(metric: str) -> str:
    """Return which kind of figure it is, if it's never the same twice; else ""."""
    unit = metric.partition("(")[0].rpartition("_")[2]
    return {"s": "time", "ms": "time", "mb": "size"}.get(unit, "")


RULES: Final = (Rule("words", words), Rule("predictions", predictions), Rule("claims", claims))
