"""Rules about a lesson's manifest that need no run: its files, questions, claims, and load."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Final

from asyncdemo.course.content.claims import ABOUT, Claim
from asyncdemo.course.content.constants import constants
from asyncdemo.course.content.knobs import values
from asyncdemo.course.content.predictions import Prediction, PredictionKind
from asyncdemo.course.rules.lesson_source import Fault, LessonSource, Rule
from asyncdemo.errors import AsyncdemoError

_HIDING: Final = sys.stdlib_module_names | {"async"}
_APPS: Final = "apps"
"""The folder with what the lab measures, in the lesson about the lab."""

Settings = tuple[tuple[str, str], ...]
"""Knobs to set, as a user types them."""


def settings_of(claim: Claim) -> Settings:
    return tuple((name, str(value)) for name, value in claim.knobs.items())


def files(source: LessonSource) -> Iterator[Fault]:
    lesson = source.lesson
    known = {source.manifest, lesson.readme, *(variant.path for variant in lesson.variants)}
    if (exercise := lesson.exercise) is not None:
        known |= {exercise.file, exercise.solution, exercise.check, lesson.folder / "hints.md"}
        known |= {*exercise.right, *exercise.wrong}
    for path in sorted(lesson.folder.rglob("*")):
        parts = path.relative_to(lesson.folder).parts
        if not path.is_file() or any(part == "__pycache__" or part.startswith(".") for part in parts):
            continue  # tools leave these behind
        if path not in known and path.parent.name != _APPS:
            yield Fault("is not a file of this lesson: no manifest entry names it", path)
        if path.suffix == ".py" and path.stem in _HIDING:
            yield Fault(f"hides the module {path.stem!r} from every script next to it; rename it", path)


def names(source: LessonSource) -> Iterator[Fault]:
    variants = source.lesson.variants
    for names in ([variant.name for variant in variants], [variant.path.name for variant in variants]):
        for name, count in Counter(names).items():
            if count > 1:
                yield source.in_manifest(f"{count} variants are called {name}")


def predictions(source: LessonSource) -> Iterator[Fault]:
    asked = source.lesson.predictions
    if not asked:
        yield source.in_manifest("asks for no predictions: [[predictions]] is missing")
    for place, prediction in enumerate(asked, start=1):
        for field, message in _faults_of_prediction(prediction):
            yield source.in_manifest(message, f"predictions[{place}].{field}")


def _faults_of_prediction(prediction: Prediction) -> Iterator[tuple[str, str]]:
    """Yield (field, message)."""
    kind = _inexact(prediction.metric)
    if kind and prediction.kind is not PredictionKind.CHOICE and prediction.tolerance <= 0:
        yield "tolerance", f"no {kind} is exactly the same twice: {prediction.metric} needs a tolerance"


def claims(source: LessonSource) -> Iterator[Fault]:
    lesson = source.lesson
    if not lesson.claims:
        yield source.in_manifest("claims nothing about its runs: [claims] is missing")
    for claim in lesson.claims:
        condition = claim.condition
        if condition.op == "==" and (kind := _inexact(condition.metric)) and condition.value != 0:
            message = f"no {kind} is exactly the same twice: {condition.metric} {ABOUT} {condition.value}"
            yield source.in_manifest(message, f"claims.{claim.text}")
        try:
            values(lesson, dict(settings_of(claim)))
        except (AsyncdemoError, KeyError) as error:
            yield source.in_manifest(str(error).splitlines()[0], f"claims.{claim.text}")


def knobs(source: LessonSource) -> Iterator[Fault]:
    """Check that each knob is a number in every script, or in the load, and that its range makes sense."""
    scripts = {name: constants(s.path) for name, s in source.variants.items() if not s.error}
    load = source.lesson.load
    for name, known in scripts.items():
        if load is not None and isinstance(load.workers, str) and load.workers not in known:
            yield source.in_manifest(f"{load.workers} is not a constant of {name}", "load.workers")
    for knob in source.lesson.knobs:
        field, of_load = f"knobs.{knob.name}", load is not None and knob.name in load.knobs
        where = {"the load": load.knobs} if load and of_load else scripts
        for name, constant in where.items():
            value = constant.get(knob.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                message = f"the knob {knob.name} is not a constant with a number in {name}"
                yield source.in_manifest(message, field)
            elif not knob.low <= value <= knob.high:
                message = f"the knob {knob.name} is {value} in {name}, not {knob.low:g} to {knob.high:g}"
                yield source.in_manifest(message, field)
        if load is None or not of_load:
            continue
        for name in [name for name, constant in scripts.items() if knob.name in constant]:
            yield source.in_manifest(
                f"{knob.name} is a knob of the load, and a constant of {name} too", field
            )
        for limit in (knob.low, knob.high):
            try:
                load.plan({knob.name: limit})
            except AsyncdemoError as error:
                yield source.in_manifest(f"the knob {knob.name} can be {limit:g}, but {error}", field)


def _inexact(metric: str) -> str:
    """Return which kind of figure it is, if it's never the same twice; else ""."""
    unit = metric.partition("(")[0].rpartition("_")[2]
    return {"s": "time", "ms": "time", "mb": "size"}.get(unit, "")


RULES: Final = (
    Rule("files", files),
    Rule("words", names),
    Rule("predictions", predictions),
    Rule("claims", claims),
    Rule("knobs", knobs),
)
