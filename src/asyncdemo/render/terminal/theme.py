"""Glyphs and colours of the timelines in a terminal.

Every state has its own texture, so colour is never needed. The colours are those of Okabe and Ito (2008),
which people with colour-blindness can tell apart. There is an ASCII set for terminals without UTF-8. NO_COLOR
needs nothing here: Rich's Console obeys it, and textures remain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.style import Style

from asyncdemo.model import Outcome
from asyncdemo.render.timeline.grid import FULL, Cell, Shade

_LOOKS = {
    Shade.RUNNING: ("#009e73", "█", "#"),
    Shade.READY: ("#e69f00", "▒", "+"),
    Shade.WAITING: ("#56b4e9", "─", "-"),
    Shade.QUEUED: ("#cc79a7", "•", ":"),
    Shade.BLOCKING: ("#d55e00", "╳", "X"),
    Shade.SQL: ("#56b4e9", "═", "="),
    Shade.REDIS: ("#56b4e9", "≈", "~"),
    Shade.S3: ("#56b4e9", "≡", "%"),
    Shade.POOL: ("#cc79a7", "○", "o"),
    Shade.ACCEPT: ("#999999", "·", "."),
    Shade.WORKER: ("#999999", "┊", ";"),
    Shade.CLIENT: ("#999999", "‹", "<"),
    Shade.RESPONSE: ("#999999", "›", ">"),
    Shade.UNKNOWN: ("#999999", "?", "?"),
    Shade.OPENING: ("#e69f00", "◇", "^"),
    Shade.IDLE: ("#999999", "╌", "_"),
    Shade.HELD: ("#0072b2", "▄", "H"),
}
"""Colour, texture, texture in ASCII. Okabe-Ito: bluish green, orange, sky blue, reddish purple, vermillion,
blue; and grey for anything outside the server, or idle. A cause has the colour of its state: textures tell
causes apart.
"""

COLOURS = {shade: colour for shade, (colour, _, _) in _LOOKS.items()}

DIM = Style(dim=True)
EMPHASIS = Style(bold=True)
CODE = Style(bold=True, color="cyan")
"""The style of text between backticks."""
WARNING = Style(bold=True, color=COLOURS[Shade.BLOCKING])

_STYLES = {shade: Style(color=colour) for shade, colour in COLOURS.items()} | {
    Shade.BLOCKING: WARNING,
    Shade.CLOSED: Style(),
}


@dataclass(frozen=True)
class Theme:
    """Glyphs.

    Attributes:
        textures: A glyph for each shade.
        parts: A running cell by eighths, 1 to 8.
        held_a_little: A connection that was held for less than half of a cell.
        bars: Heights of a count, from none to all.
        densities: A folded row, by eighths, 0 to 8.
        ends: How a lane ended, if not by returning.
        good, bad: Before a sentence that holds, and one that does not.
        here: Above a moment.
    """

    textures: Mapping[Shade, str]
    parts: str
    blocked_a_little: str
    held_a_little: str
    bars: str
    densities: str
    ends: Mapping[str, str]
    rule: str
    tick: str
    side: str
    dot: str
    ellipsis: str
    good: str
    bad: str
    here: str

    def is_part(self, cell: Cell) -> bool:
        """Return whether the glyph means that it lasted for only a part of the cell."""
        if cell.shade is Shade.RUNNING:
            return self.parts[cell.fill - 1] != self.parts[-1]
        return cell.shade in (Shade.BLOCKING, Shade.HELD) and cell.fill <= FULL // 2

    def glyph(self, cell: Cell) -> str:
        if cell.shade is Shade.RUNNING:
            return self.parts[cell.fill - 1]
        if cell.shade is Shade.BLOCKING and cell.fill <= FULL // 2:
            return self.blocked_a_little
        if cell.shade is Shade.HELD and cell.fill <= FULL // 2:
            return self.held_a_little
        return self.textures[cell.shade]

    def density(self, cell: Cell) -> str:
        """Return the height of a folded row's cell; no single lane has this as its texture."""
        return self.densities[cell.fill]

    def bar(self, amount: float, most: float) -> str:
        """Return a height for ``amount``; never empty if it is above 0."""
        if amount <= 0 or most <= 0:
            return self.bars[0]
        top = len(self.bars) - 1
        return self.bars[min(max(round(amount / most * top), 1), top)]

    def shade_style(self, shade: Shade) -> Style:
        return _STYLES[shade]


UNICODE = Theme(
    textures={shade: glyph for shade, (_, glyph, _) in _LOOKS.items()} | {Shade.CLOSED: " "},
    parts="▏▎▍▌▋▊▉█",
    blocked_a_little="×",
    held_a_little="▖",
    bars=" ▁▂▃▄▅▆▇█",
    densities=" ▁▁▂▃▄▅▆▇",
    ends={Outcome.RAISED: "✗", Outcome.CANCELLED: "⊘", Outcome.OPEN: "…"},
    rule="─",
    tick="╷",
    side="│",
    dot="·",
    ellipsis="…",
    good="✓",
    bad="✗",
    here="▼",
)

ASCII = Theme(
    textures={shade: glyph for shade, (_, _, glyph) in _LOOKS.items()} | {Shade.CLOSED: " "},
    parts="||||####",
    blocked_a_little="x",
    held_a_little="h",
    bars=" .-=#",
    densities=" 12345678",
    ends={Outcome.RAISED: "!", Outcome.CANCELLED: "/", Outcome.OPEN: ">"},
    rule="-",
    tick="'",
    side="|",
    dot="-",
    ellipsis="~",
    good="+",
    bad="x",
    here="v",
)


def theme_for(encoding: str | None) -> Theme:
    """Return the glyphs that a stream with this encoding can show."""
    normal = (encoding or "ascii").lower().replace("-", "").replace("_", "")
    return UNICODE if normal.startswith("utf") else ASCII
