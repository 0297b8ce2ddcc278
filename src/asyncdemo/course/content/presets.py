"""The runs that a lesson's text suggests under "Change it", read from the commands in it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asyncdemo.course.content.knobs import settings
from asyncdemo.course.content.text import sections

if TYPE_CHECKING:
    from asyncdemo.course.content.lesson import Lesson


@dataclass(frozen=True, slots=True)
class Preset:
    """One suggestion.

    Attributes:
        settings: The text that is typed for each knob.
        variants: Names of the variants to run; empty means all.
        remark: Markdown; the text's comment on it, often with the result.
    """

    settings: dict[str, str]
    variants: tuple[str, ...]
    remark: str


def presets(lesson: Lesson) -> tuple[Preset, ...]:
    """Return the lesson's presets, in order, without suggestions to edit a file. Raises CourseError."""
    text = sections(lesson.readme).get("Change it", "")
    command = re.compile(rf"`asyncdemo run {re.escape(lesson.id)} (--[^`]+)`:?\s*")
    found = []
    for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
        match = command.match(item)
        if match is not None:
            words = shlex.split(match[1])
            pairs = list(zip(words[::2], words[1::2], strict=False))
            found.append(
                Preset(
                    settings(tuple(value for option, value in pairs if option == "--set")),
                    tuple(value for option, value in pairs if option == "--variant"),
                    " ".join(item[match.end() :].split("\n\n")[0].split()),
                )
            )
    return tuple(found)
