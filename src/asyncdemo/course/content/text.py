"""The sections of a lesson's README, and the texts that a learner reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from asyncdemo.errors import CourseError

_HEADING: Final = r"^## (.+)$"
_ENDING: Final = ("Key points", "Where it bites", "One more question")


def sections(readme: Path) -> dict[str, str]:
    """Return the Markdown below each heading of the second level, in order."""
    try:
        text = readme.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{readme}: cannot be read: {error.strerror}") from None
    parts = re.split(_HEADING, text, flags=re.MULTILINE)
    return {heading.strip(): body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def learner_text(readme: Path) -> str:
    """Return the text without the part for instructors, which gives an answer away. Raises CourseError."""
    parts = {heading: body for heading, body in sections(readme).items() if heading != "For instructors"}
    return "\n\n".join(f"## {heading}\n\n{body}" for heading, body in parts.items())


def ending(readme: Path, lesson_id: str) -> str:
    """Return what a learner reads at the end of a lesson, as Markdown; "" if there is nothing."""
    parts = sections(readme)
    text = "\n\n".join(f"## {heading}\n\n{parts[heading]}" for heading in _ENDING if heading in parts)
    if _ENDING[-1] in parts and "For instructors" in parts:
        text += f"\n\nFor the answer: `asyncdemo notes {lesson_id}`"
    return text
