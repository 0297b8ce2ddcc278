"""One lesson, read from its manifest: variants, knobs, predictions, claims.

Not here: running it, or finding it among others (see ``catalog``, ``lookup``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Heading, heading_of
from asyncdemo.course.content.claims import ABOUT, OPERATORS, Claim, Condition
from asyncdemo.course.content.exercise import Exercise, read_exercise, read_services
from asyncdemo.course.content.figures import mistake
from asyncdemo.course.content.load import Load, read_load
from asyncdemo.course.content.manifest import Table, read
from asyncdemo.course.content.predictions import Choice, Prediction, PredictionKind
from asyncdemo.errors import UsageError

EXPECTATIONS: Final = ("ok", "failed", "timeout")


@dataclass(frozen=True, slots=True)
class Variant:
    """One script of a lesson.

    Attributes:
        expect: How the run should end: "ok", "failed" or "timeout".
        warns: The warning that Python should write to standard error; "" for none.
        differs: The lines that may differ from the other variants, without indentation.
    """

    name: str
    title: str
    path: Path
    expect: str
    differs: tuple[str, ...]
    warns: str = ""


@dataclass(frozen=True, slots=True)
class Knob:
    """A knob. ``at_most`` names another knob whose value is an upper bound as well, beside ``high``."""

    name: str
    unit: str
    low: float
    high: float
    meaning: str
    at_most: str = ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A figure in the text that no run of the lesson measures, and where it comes from."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Lesson(Heading):
    """A lesson. The calls of ``lanes`` are its rows. With ``race``, variants may run at the same time.

    The variants need ``services``: "s3", "redis", "postgres". With ``memory``, it is sampled while they run.
    If they are servers, ``load`` is what is sent to them, else it is None.
    """

    lanes: tuple[str, ...]
    race: bool
    variants: tuple[Variant, ...]
    knobs: tuple[Knob, ...]
    predictions: tuple[Prediction, ...]
    claims: tuple[Claim, ...]
    quoted: tuple[Quoted, ...]
    exercise: Exercise | None
    services: tuple[str, ...] = ()
    memory: bool = False
    load: Load | None = None

    @property
    def readme(self) -> Path:
        return self.folder / "README.md"

    def chosen(self, names: Sequence[str]) -> tuple[Variant, ...]:
        """Return the variants with these names, or all if there are none. Raises UsageError."""
        known = [variant.name for variant in self.variants]
        for name in names:
            if name not in known:
                raise UsageError(f"{self.id} has no variant {name!r}. It has: {', '.join(known)}.")
        return tuple(variant for variant in self.variants if not names or variant.name in names)


def load_lesson(folder: Path) -> Lesson:
    """Read the manifest of one lesson. Raises CourseError with the file and the field."""
    table = read(folder / "lesson.toml")
    heading = heading_of(table, folder)
    variants = table.each("variants", lambda entry: _variant(entry, folder))
    if not variants:
        raise table.error("variants", "are missing; a lesson has at least one")
    knobs = table.each("knobs", _knob)
    lanes = table.texts("lanes", ())
    load_table, exercise = table.table("load"), table.table("exercise")
    load = None if load_table is None else read_load(load_table)
    for knob in knobs:
        if knob.at_most and knob.at_most not in {other.name for other in knobs}:
            raise table.error("knobs", f"{knob.name} is to be at most {knob.at_most}, which is not a knob")
    names = _Names(
        {variant.name for variant in variants},
        {knob.name for knob in knobs},
        lanes,
        () if load is None else load.paths,
    )
    lesson = Lesson(
        **{field.name: getattr(heading, field.name) for field in fields(heading)},
        lanes=lanes,
        race=table.flag("race", False),
        variants=variants,
        knobs=knobs,
        predictions=table.each("predictions", lambda entry: _prediction(entry, names)),
        claims=table.each("claims", lambda entry: _claim(entry, names)),
        quoted=table.each("quoted", lambda entry: Quoted(entry.text("text"), entry.text("source"))),
        exercise=None if exercise is None else read_exercise(exercise, heading.id, folder),
        services=read_services(table),
        memory=table.flag("memory", False),
        load=load,
    )
    table.close()
    return lesson


@dataclass(frozen=True, slots=True)
class _Names:
    """What the predictions and claims of a lesson may refer to."""

    variants: set[str]
    knobs: set[str]
    lanes: tuple[str, ...]
    paths: tuple[str, ...]


def _variant(entry: Table, folder: Path) -> Variant:
    file = entry.text("file")
    if not os.path.isfile(folder / file):  # Path.is_file raises an error if the name is too long
        raise entry.error("file", f"{folder / file} is not there")
    return Variant(
        name=entry.text("name"),
        title=entry.text("title"),
        path=folder / file,
        expect=entry.choice("expect", EXPECTATIONS, "ok"),
        differs=tuple(line.strip() for line in entry.text("differs", "").splitlines() if line.strip()),
        warns=entry.text("warns", ""),
    )


def _knob(entry: Table) -> Knob:
    name, unit, meaning = entry.text("name"), entry.text("unit"), entry.text("meaning")
    low, high = entry.number("low"), entry.number("high")
    if low > high:
        raise entry.error("low", f"is {low}, above high, which is {high}")
    return Knob(name, unit, low, high, meaning, entry.text("at_most", ""))


def _condition(entry: Table, names: _Names, variant: str, metric: str) -> Condition:
    condition = Condition(
        variant=variant,
        metric=metric,
        op=entry.choice("op", (*OPERATORS, ABOUT)),
        value=entry.number_or_text("value"),
        times=entry.number("times", 1.0),
        tolerance=entry.number("tolerance", 0.1),
    )
    if isinstance(condition.value, str) and condition.value not in names.knobs:
        other, _, figure = condition.value.partition(".")
        if other not in names.variants or mistake(figure, names.lanes, names.paths):
            raise entry.error("value", f"must be a number, a knob or variant.metric, not {condition.value!r}")
    return condition


def _variant_name(entry: Table, names: _Names) -> str:
    return entry.choice("variant", tuple(sorted(names.variants)))


def _metric(entry: Table, names: _Names) -> str:
    metric = entry.text("metric")
    if wrong := mistake(metric, names.lanes, names.paths):
        raise entry.error("metric", wrong)
    return metric


def _with_knobs(entry: Table, field: str, names: _Names) -> str:
    text = entry.text(field)
    for name in re.findall(r"\{(.*?)\}", text):
        if name not in names.knobs:
            raise entry.error(field, f"{{{name}}} is not a knob of this lesson")
    return text


def _prediction(entry: Table, names: _Names) -> Prediction:
    kind = PredictionKind(entry.choice("kind", tuple(PredictionKind)))
    variant = "" if kind is PredictionKind.ORDER else _variant_name(entry, names)
    metric = _metric(entry, names)
    choices = entry.each(
        "choices",
        lambda one: Choice(_with_knobs(one, "text", names), _condition(one, names, variant, metric)),
    )
    if (kind is PredictionKind.CHOICE) != bool(choices):
        raise entry.error("choices", "belong to a prediction of kind choice, which needs them")
    return Prediction(
        kind=kind,
        question=_with_knobs(entry, "question", names),
        why=_with_knobs(entry, "why", names),
        metric=metric,
        variant=variant,
        unit=entry.text("unit", ""),
        tolerance=entry.number("tolerance", 0.0),
        choices=choices,
    )


def _claim(entry: Table, names: _Names) -> Claim:
    claim = Claim(
        entry.text("text"),
        _condition(entry, names, _variant_name(entry, names), _metric(entry, names)),
        entry.values("knobs"),
    )
    for name in claim.knobs:
        if name not in names.knobs:
            raise entry.error("knobs", f"{name} is not a knob of this lesson")
    return claim
