"""The states of one row as a list, one after the other: since when, how long, why, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from asyncdemo.model import Span
from asyncdemo.render.facts.moments import place_at, stretch_of
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.theme import DIM, Theme
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.timeline.window import RowWindows
from asyncdemo.render.words import duration, fit, place
from asyncdemo.safe_text import clean

_CURSOR: Final = Style(reverse=True)
_TIME: Final = 10
"""Width of a column of times."""


class RowStates(Widget, can_focus=True):
    """The states of a row. Only those that are visible are created."""

    DEFAULT_CSS = "RowStates { width: 1fr; height: auto; display: none; border-top: solid $foreground 50%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Previous", show=False),
        Binding("down", "move(1)", "Next", show=False),
        Binding("pageup", "page(-1)", "Previous page", show=False),
        Binding("pagedown", "page(1)", "Next page", show=False),
        Binding("home", "move(-999999999)", "First", show=False),
        Binding("end", "move(999999999)", "Last", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """The cursor is at a state that begins at this time, counted from the first row's open."""

        at_ns: int

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._windows: RowWindows | None = None
        self._index = self._at = self._top = 0

    def show(self, windows: RowWindows, index: int, at_ns: int) -> None:
        self._windows, self._index = windows, index
        row = windows.run.rows[index]
        self.border_title = Content(f"States of {clean(row.name)}: {len(row.spans):,}")
        self._go_to(place_at(row, windows.zero_ns + at_ns))
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._spans)

    @property
    def _spans(self) -> Sequence[Span]:
        return () if self._windows is None else self._windows.run.rows[self._index].spans

    def action_move(self, by: int) -> None:
        self._go_to(self._at + by)
        if self._windows is not None and self._spans:
            self.post_message(self.Chosen(self._spans[self._at].start_ns - self._windows.zero_ns))

    def action_page(self, by: int) -> None:
        self.action_move(by * self.size.height)

    def on_resize(self) -> None:
        self._go_to(self._at)

    def _go_to(self, at: int) -> None:
        self._at = max(min(at, len(self._spans) - 1), 0)
        self._top = min(max(self._top, self._at - max(self.size.height, 1) + 1), self._at)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        at = self._top + y
        if self._windows is None or at >= len(self._spans):
            return Strip.blank(self.size.width, self.rich_style)
        line = self._line(self._windows, at)
        strip = Strip([Segment(text, style) for text, style, _ in line])
        strip = strip.adjust_cell_length(self.size.width).apply_style(self.rich_style)
        return strip.apply_style(_CURSOR) if at == self._at else strip

    def _line(self, windows: RowWindows, at: int) -> Line:
        stretch = stretch_of(windows.run, windows.run.rows[self._index], at, windows.blocked)
        since = duration(stretch.start_ns - windows.zero_ns).rjust(_TIME)
        length = duration(stretch.end_ns - stretch.start_ns).rjust(_TIME)
        texture = self._theme.textures[stretch.shade] * 3
        where = "" if stretch.shade is Shade.BLOCKING else place(stretch.site)  # already in its words
        room = max(self.size.width - 2 * _TIME - 8, 0)
        words = fit(f"{stretch.words}  {where}" if where else stretch.words, room, self._theme.ellipsis)
        return [
            Segment(f"{since} ", DIM),
            Segment(f"{length}  "),
            Segment(f"{texture} ", self._theme.shade_style(stretch.shade)),
            Segment(words),
        ]
