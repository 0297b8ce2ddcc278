"""The door for text that is not ours: names, messages, file names, and output of scripts and recordings.

Such text is made safe where it leaves: by ``clean`` in everything that is drawn, printed or written. It isn't
changed where it enters, since it is also compared, looked up and evaluated; there, only its length is limited
(see ``capture.wire``). Two kinds of text are cleaned as soon as they exist, because they are only ever shown,
in many places: the message of an error, and a verdict.

What passes can't move a cursor, set a terminal's title, hide or reorder other text, or break a line, XML or
UTF-8; and its length is limited. Markup is for each output to escape, formulas for ``cell``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

_CODES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: window title, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # strings for the terminal
    r"|\x1b[ -/]*[0-~]"  # all other two-character ones
)
_MOST: Final = 4_000
"""Characters: a long paragraph."""
_MOST_OF_A_TEXT: Final = 1_000_000
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What begins a formula in a spreadsheet, also as wide letters. (``clean`` leaves no tabs or line ends.)"""


def clean(text: str, most: int = _MOST) -> str:
    """Return the text, on one line and safe to show: characters that move a cursor or hide become escapes.

    If it has more than ``most`` characters, the first remain, with a note.
    """
    if text.isprintable() and len(text) <= most:
        return text
    shown = "".join(map(_escaped, text[:most]))
    return shown if max(len(text), len(shown)) <= most else _cut(shown, text, most)


def clean_lines(text: str) -> str:
    """Do the same for a text of several lines, which remain."""
    if text.isprintable() and len(text) <= _MOST_OF_A_TEXT:
        return text
    begin = text[:_MOST_OF_A_TEXT].expandtabs()
    shown = "".join(char if char == "\n" else _escaped(char) for char in begin)
    return shown if max(len(text), len(shown)) <= _MOST_OF_A_TEXT else _cut(shown, text, _MOST_OF_A_TEXT)


def cell(text: str) -> str:
    """Return a cell of a table that a spreadsheet takes as text, not as a formula."""
    text = clean(text)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def json_text(data: Mapping[str, Any]) -> str:
    """Return an object as JSON in ASCII, each of its strings valid Unicode of a limited length."""
    return json.dumps(_valid(data))


def without_codes(text: str) -> str:
    """Return the text without codes that move the cursor, change colours or the like."""
    return _CODES.sub("", text)


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def _cut(shown: str, text: str, most: int) -> str:
    """Return at most ``most`` characters of ``shown``, with a note about the length of ``text``."""
    note = f"... ({len(text):,} characters)"
    return shown[: most - len(note)] + note


def _valid(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() and len(value) <= _MOST else _as_unicode(value)
    if isinstance(value, Mapping):
        return {_valid(key): _valid(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such numbers
    return value


def _as_unicode(text: str) -> str:
    """Limit the length, and escape halves of characters, which are no Unicode. JSON escapes all others."""
    if len(text) > _MOST:
        text = _cut(text, text, _MOST)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
