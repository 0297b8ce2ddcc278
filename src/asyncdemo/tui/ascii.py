"""What a terminal without UTF-8 gets to see of frames, bars and arrows.

Not for: the timelines, which have a set of ASCII glyphs of their own (``render.terminal.theme``).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_LIKE = dict(zip("…•·✓✗→←↑↓▶▼", "~*.+x><^v>v", strict=True))


class AsciiFilter(LineFilter):
    """Every character that is not ASCII becomes one that is, of the same width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else segment._replace(text=_ascii(segment.text))
            for segment in segments
        ]


@lru_cache(4096)
def _ascii(text: str) -> str:
    return "".join(character if character.isascii() else _one(character) for character in text)


def _one(character: str) -> str:
    name = unicodedata.name(character, "")
    width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
    if character in _LIKE:
        return _LIKE[character]
    if name.startswith("BOX DRAWINGS"):
        up_and_across = (
            ("VERTICAL" in name or "UP" in name or "DOWN" in name),
            ("HORIZONTAL" in name or "LEFT" in name or "RIGHT" in name),
        )
        return {(True, False): "|", (False, True): "-"}.get(up_and_across, "+")
    if "BLOCK" in name or "BRAILLE" in name:
        return "#" if "FULL" in name or "EIGHTHS" in name else "="
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return (plain or "?").ljust(width)[:width]
