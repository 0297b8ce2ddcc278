"""Removes terminal control codes from the output of programs."""

from __future__ import annotations

import re
from typing import Final

_CODES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: window title, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # strings for the terminal
    r"|\x1b[ -/]*[0-~]"  # all other two-character ones
)


def without_codes(text: str) -> str:
    """Return the text without codes that move the cursor, change colours or the like."""
    return _CODES.sub("", text)
