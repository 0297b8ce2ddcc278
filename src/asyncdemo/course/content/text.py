"""The sections of a lesson's README, for showing one of them."""

from __future__ import annotations

import re
from pathlib import Path

from asyncdemo.errors import CourseError


def sections(readme: Path) -> dict[str, str]:
    """Return the Markdown below each heading of the second level, in order."""
    try:
        text = readme.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{readme}: cannot be read: {error.strerror}") from None
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {heading.strip(): body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}
