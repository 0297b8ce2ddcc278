"""Control codes of terminals in what programs write."""

from __future__ import annotations

import re
from typing import Final

_CODES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: window title, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # strings meant for the terminal
    r"|\x1b[ -/]*[0-~]"  # all other two-character ones
)


def without_codes(text: str) -> str:
    """The text without what would move the cursor, change colours or the like."""
    return _CODES.sub("", text)
