"""One lesson, read from its manifest: variants, knobs, predictions, claims."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Heading, heading_of
from asyncdemo.course.content.claims import Claim, Condition, parse_claim, parse_condition
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
    """

    name: str
    title: str
    path: Path
    expect: str
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
class Lesson(Heading):
    """A lesson. The calls of ``lanes`` are its rows. With ``race``, variants may run at the same time.

    The variants need ``services``, such as "redis". With ``memory``, it is sampled while they run.
    If they are servers, ``load`` is what is sent to them, else it is None. ``quoted`` has figures of the text
    that no run of the lesson measures, and where they come from.
    """

    lanes: tuple[str, ...]
    race: bool
    variants: tuple[Variant, ...]
    knobs: tuple[Knob, ...]
    predictions: tuple[Prediction, ...]
    claims: tuple[Claim, ...]
    quoted: Mapping[str, str]
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
    knobs = tuple(table.by_name("knobs", _knob).values())
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
        claims=tuple(chain.from_iterable(table.by_name("claims", partial(_claims, names)).values())),
        quoted=table.by_name("quoted", Table.text),
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
        warns=entry.text("warns", ""),
    )


def _knob(table: Table, name: str) -> Knob:
    entry = table.table(name)
    assert entry is not None, "by_name has found it"
    unit, meaning, at_most = entry.text("unit"), entry.text("meaning"), entry.text("at_most", "")
    low, high = entry.number("low"), entry.number("high")
    entry.close()
    if low > high:
        raise entry.error("low", f"is {low}, above high, which is {high}")
    return Knob(name, unit, low, high, meaning, at_most)


def _wrong_value(condition: Condition, names: _Names) -> str:
    """Return what is wrong with the names in the value of a condition, "" if nothing is."""
    if isinstance(condition.value, str) and condition.value not in names.knobs:
        other, _, figure = condition.value.partition(".")
        if other not in names.variants or mistake(figure, names.lanes, names.paths):
            return f"must be compared with a number, a knob or VARIANT.FIGURE, not {condition.value!r}"
    return ""


def _variant_name(entry: Table, names: _Names) -> str:
    return entry.choice("variant", tuple(sorted(names.variants)))


def _metric(entry: Table, names: _Names) -> str:
    metric = entry.text("metric")
    if wrong := mistake(metric, names.lanes, names.paths):
        raise entry.error("metric", wrong)
    return metric


def _with_knobs(entry: Table, field: str, text: str, names: _Names) -> str:
    for name in re.findall(r"\{(.*?)\}", text):
        if name not in names.knobs:
            raise entry.error(field, f"{{{name}}} is not a knob of this lesson")
    return text


def _prediction(entry: Table, names: _Names) -> Prediction:
    kind = PredictionKind(entry.choice("kind", tuple(PredictionKind)))
    variant = "" if kind is PredictionKind.ORDER else _variant_name(entry, names)
    metric = _metric(entry, names)
    choices = tuple(entry.by_name("choices", partial(_choice, names, variant, metric)).values())
    if (kind is PredictionKind.CHOICE) != bool(choices):
        raise entry.error("choices", "belong to a prediction of kind choice, which needs them")
    return Prediction(
        kind=kind,
        question=_with_knobs(entry, "question", entry.text("question"), names),
        why=_with_knobs(entry, "why", entry.text("why"), names),
        metric=metric,
        variant=variant,
        unit=entry.text("unit", ""),
        tolerance=entry.number("tolerance", 0.0),
        choices=choices,
    )


def _choice(names: _Names, variant: str, metric: str, table: Table, text: str) -> Choice:
    try:
        condition = parse_condition(table.text(text), variant, metric)
    except ValueError as error:
        raise table.error(text, str(error)) from None
    if wrong := _wrong_value(condition, names):
        raise table.error(text, wrong)
    return Choice(_with_knobs(table, text, text, names), condition)


def _claims(names: _Names, table: Table, text: str) -> list[Claim]:
    return [_claim(names, table, text, words) for words in table.text_or_texts(text)]


def _claim(names: _Names, table: Table, text: str, words: str) -> Claim:
    try:
        claim = parse_claim(text, words)
    except ValueError as error:
        raise table.error(text, str(error)) from None
    if (variant := claim.condition.variant) not in names.variants:
        raise table.error(text, f"{variant!r} is not a variant: {', '.join(sorted(names.variants))}")
    unknown = [f"{name} is not a knob of this lesson" for name in claim.knobs if name not in names.knobs]
    for wrong in (
        mistake(claim.condition.metric, names.lanes, names.paths),
        _wrong_value(claim.condition, names),
        *unknown,
    ):
        if wrong:
            raise table.error(text, wrong)
    return claim
