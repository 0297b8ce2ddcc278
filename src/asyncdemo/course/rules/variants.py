"""Rules about the variants of a lesson side by side: the same job, so that a diff shows only the concept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from asyncdemo.course.content.knobs import constants
from asyncdemo.course.content.listing import declared_lines
from asyncdemo.course.rules.lesson_source import LessonSource
from asyncdemo.course.rules.problem import Fault, Rule
from asyncdemo.course.rules.scripts import faults_of_lanes


def names(source: LessonSource) -> Iterator[Fault]:
    scripts = [script for script in source.variants.values() if script.tree is not None]
    for script in scripts[1:]:
        ours, theirs = scripts[0].names, script.names
        if sorted(ours) != sorted(theirs):
            odd = sorted(set(ours) ^ set(theirs)) or ["one that is there twice"]
            message = f"does not have the same names as {scripts[0].path.name}: {', '.join(odd)}"
            yield Fault(message, script.path)
        elif ours != theirs:
            at = next(place for place, name in enumerate(ours) if theirs[place] != name)
            message = f"has {theirs[at]} where {scripts[0].path.name} has {ours[at]}; same names, same order"
            yield Fault(message, script.path)


def lanes(source: LessonSource) -> Iterator[Fault]:
    for script in source.variants.values():
        yield from faults_of_lanes(script, source.lesson.lanes, "the rows")


def knobs(source: LessonSource) -> Iterator[Fault]:
    values = {name: constants(s.path) for name, s in source.variants.items() if s.tree is not None}
    of_load = source.lesson.load.knobs if source.lesson.load else {}
    for place, knob in enumerate(source.lesson.knobs, start=1):
        if knob.name in of_load:
            continue  # `load-knobs` checks these
        line = source.manifest_line(f"knobs[{place}].name")
        for name, constant in values.items():
            value = constant.get(knob.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                message = f"the knob {knob.name} is not a constant with a number in {name}"
                yield Fault(message, source.manifest, line)
            elif not knob.low <= value <= knob.high:
                message = f"the knob {knob.name} is {value} in {name}, not {knob.low:g} to {knob.high:g}"
                yield Fault(message, source.manifest, line)
        written = {str(constant[knob.name]) for constant in values.values() if knob.name in constant}
        if len(written) > 1:
            message = f"the knob {knob.name} has several values: {', '.join(sorted(written))}"
            yield Fault(message, source.manifest, line)


def pairs(source: LessonSource) -> Iterator[Fault]:
    """Check that the variants are the same but for the lines that the manifest declares to differ."""
    rest: list[tuple[str, list[tuple[int | None, str | None]]]] = []
    for variant in source.lesson.variants:
        text = source.variants[variant.name].text
        differing, missing = declared_lines(text, variant.differs)
        if missing:
            message = f"the line {missing[0]!r} is declared to differ, but is not there in that order"
            yield Fault(f"{variant.name}: {message}", variant.path)
        lines = enumerate(text.splitlines(), start=1)
        rest.append((variant.name, [(number, line) for number, line in lines if number not in differing]))
    first, ours = rest[0]
    for name, lines_of_it in rest[1:]:
        for (_, our), (number, its) in zip_longest(ours, lines_of_it, fillvalue=(None, None)):
            if our != its:
                both = f"{first} has {_line(our)} where {name} has {_line(its)}"
                yield Fault(f"{both}, and no manifest entry allows it", source.variants[name].path, number)
                break


def _line(text: str | None) -> str:
    return "no line" if text is None else repr(text)


RULES: Final = (Rule("names", names), Rule("lanes", lanes), Rule("knobs", knobs), Rule("pairs", pairs))
