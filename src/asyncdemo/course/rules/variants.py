"""Rules about the variants of a lesson side by side: the same job, so that a diff shows only the concept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from asyncdemo.course.content.knobs import constants
from asyncdemo.course.content.pairs import differences
from asyncdemo.course.rules.lesson_source import LessonSource
from asyncdemo.course.rules.problem import Fault, Rule


def names(source: LessonSource) -> Iterator[Fault]:
    scripts = [script for script in source.variants.values() if script.tree is not None]
    for script in scripts[1:]:
        ours, theirs = scripts[0].names, script.names
        if sorted(ours) != sorted(theirs):
            odd = sorted(set(ours) ^ set(theirs)) or ["one that stands there twice"]
            message = f"has not the same names as {scripts[0].path.name}: {', '.join(odd)}"
            yield Fault(message, script.path)
        elif ours != theirs:
            at = next(place for place, name in enumerate(ours) if theirs[place] != name)
            message = f"has {theirs[at]} where {scripts[0].path.name} has {ours[at]}; same names, same order"
            yield Fault(message, script.path)


def lanes(source: LessonSource) -> Iterator[Fault]:
    for script in source.variants.values():
        for lane in source.lesson.lanes:
            if script.tree is not None and lane not in script.functions:
                yield Fault(f"has no function {lane}, whose calls are to be the rows", script.path)


def knobs(source: LessonSource) -> Iterator[Fault]:
    values = {name: constants(s.path) for name, s in source.variants.items() if s.tree is not None}
    of_load = source.lesson.load.knobs if source.lesson.load else {}
    for place, knob in enumerate(source.lesson.knobs, start=1):
        if knob.name in of_load:
            continue  # `load-knobs` looks at these
        line = source.manifest_line(f"knobs[{place}].name")
        for name, constant in values.items():
            value = constant.get(knob.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                message = f"the knob {knob.name} is no constant with a number in {name}"
                yield Fault(message, source.manifest, line)
            elif not knob.low <= value <= knob.high:
                message = f"the knob {knob.name} is {value} in {name}, not {knob.low:g} to {knob.high:g}"
                yield Fault(message, source.manifest, line)
        written = {str(constant[knob.name]) for constant in values.values() if knob.name in constant}
        if len(written) > 1:
            message = f"the knob {knob.name} has several values: {', '.join(sorted(written))}"
            yield Fault(message, source.manifest, line)


def pairs(source: LessonSource) -> Iterator[Fault]:
    sources = {name: script.text for name, script in source.variants.items()}
    declared = {variant.name: variant.differs for variant in source.lesson.variants}
    for difference in differences(sources, declared):
        script = source.variants[difference.variant]
        yield Fault(difference.message, script.path, difference.line)


RULES: Final = (Rule("names", names), Rule("lanes", lanes), Rule("knobs", knobs), Rule("pairs", pairs))
