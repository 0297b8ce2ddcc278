"""The knobs of a lesson: which values a run will have.

The child process sets them (``runner``); this module returns their values before a run, for the questions,
and rejects values that make no sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from asyncdemo.course.content.constants import constants
from asyncdemo.course.content.lookup import nearest
from asyncdemo.course.content.manifest import Value
from asyncdemo.errors import UsageError

if TYPE_CHECKING:
    from asyncdemo.course.content.lesson import Knob, Lesson
    from asyncdemo.course.content.load import Load


def settings(typed: tuple[str, ...]) -> dict[str, str]:
    """Return ``{"BREWS": "3"}`` for ``("BREWS=3",)``. Raises UsageError."""
    pairs = {}
    for setting in typed:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise UsageError(f"--set {setting}: write NAME=VALUE, for example --set BREWS=100")
        pairs[name.strip()] = value.strip()
    return pairs


def for_scripts(set_to: Mapping[str, str], load: Load | None) -> dict[str, str]:
    """Return the settings that are for the scripts, not for the load."""
    return {name: value for name, value in set_to.items() if load is None or name not in load.knobs}


def values(lesson: Lesson, set_to: Mapping[str, str]) -> dict[str, Value]:
    """Return the value of every knob in a run with these settings. Raises UsageError that lists the knobs."""
    known = {knob.name: knob for knob in lesson.knobs}
    written = _written(lesson)
    chosen = {name: written[name] for name in known if name in written}
    for name, text in set_to.items():
        if name not in known:
            near = nearest(name.upper(), known)
            hint = f" Did you mean {near}?" if near else ""
            raise UsageError(f"{lesson.id} has no knob {name}.{hint}\n{describe(lesson)}")
        chosen[name] = _converted(known[name], type(written[name]), text)
    for name, knob in known.items():
        if knob.at_most and chosen[name] > chosen[knob.at_most]:  # type: ignore[operator]  # both numbers
            raise UsageError(
                f"{name} is {chosen[name]}, and {knob.at_most} {chosen[knob.at_most]}: {name} can be "
                f"at most {knob.at_most} ({knob.meaning})."
            )
    return chosen


def describe(lesson: Lesson) -> str:
    """Return the knobs as lines of text: name, value as written, range, meaning."""
    if not lesson.knobs:
        return "This lesson has no knobs."
    written = _written(lesson)
    width = max(len(knob.name) for knob in lesson.knobs)
    lines = [
        f"  {knob.name:<{width}}  {written.get(knob.name)} ({_range(knob)}): {knob.meaning}"
        for knob in lesson.knobs
    ]
    return "\n".join([f"Knobs of {lesson.id}:", *lines])


def _written(lesson: Lesson) -> dict[str, Value]:
    """Return the constants of the scripts (the knobs are the same in all of them) and of the load."""
    return {**constants(lesson.variants[0].path), **(lesson.load.knobs if lesson.load else {})}


def _converted(knob: Knob, kind: type, text: str) -> Value:
    try:
        value = int(text) if kind is int else float(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise UsageError(f"--set {knob.name}={text}: {knob.name} must be {wanted}.") from None
    if not knob.low <= value <= knob.high:
        raise UsageError(f"--set {knob.name}={text}: {knob.name} can be {_range(knob)} ({knob.meaning}).")
    return value


def _range(knob: Knob) -> str:
    return f"{knob.low:g} to {knob.high:g} {knob.unit}".strip()
