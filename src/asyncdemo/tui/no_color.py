"""What NO_COLOR leaves of a screen: bold, dim and reverse. Textual's own way of it leaves greys."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

_STANDS_OUT = 0.12
_MUTED = 0.55
"""Differences in brightness, of 1: background and screen, grey text and what is behind it."""
_GREY = 20
"""By so much the channels of a grey may differ."""


class NoColorFilter(LineFilter):
    """A background that stands out becomes reverse, grey text dim; no other colour is told."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and _without_color(style, background), None) for text, style, _ in segments
        ]


@lru_cache(4096)
def _without_color(style: Style, screen: Color) -> Style:
    behind = Color.from_rich_color(style.bgcolor) if style.bgcolor else screen
    stands_out = abs(behind.brightness - screen.brightness) > _STANDS_OUT
    text = Color.from_rich_color(style.color) if style.color else None
    is_grey = text is not None and max(text.rgb) - min(text.rgb) < _GREY
    muted = text is not None and is_grey and abs(text.brightness - behind.brightness) < _MUTED
    return style.without_color + Style(reverse=stands_out or style.reverse, dim=muted or style.dim)
