"""The rows of one run in the viewer: as many as fit, with a cursor at a row and a time.

All runs of the viewer share a ``TimeView``, whose times count from the first row's open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from asyncdemo.model import Lane, Request, Run
from asyncdemo.render.facts.runs import empty_words
from asyncdemo.render.terminal.draw import Line, text_line, timeline_lines
from asyncdemo.render.terminal.picture import run_title
from asyncdemo.render.terminal.sections import Counted, count_label, count_lines, counted
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.grid import Grid
from asyncdemo.render.timeline.layout import noun
from asyncdemo.render.timeline.window import RowWindows, Window
from asyncdemo.render.words import count, fit

_ABOVE: Final = 2
"""Lines above the rows: the title, the axis."""
_TITLE_PARTS: Final = 4
_CURSOR: Final = Style(reverse=True)
_WHEEL: Final = 3
_LEAST_NS: Final = 50_000
"""The maximum zoom."""


@dataclass
class TimeView:
    """The axis of all runs ends at ``scale_ns``. What comes after ``until_ns`` is not drawn yet."""

    scale_ns: int
    start_ns: int = 0
    length_ns: int = 0
    at_ns: int = 0
    until_ns: int | None = None

    def __post_init__(self) -> None:
        self.show_all()

    def show_all(self) -> None:
        self.start_ns, self.length_ns = 0, self.scale_ns

    def window(self, columns: int) -> Window:
        columns = max(columns, 1)
        return Window(self.start_ns, -(-self.length_ns // columns), columns)

    def zoom(self, factor: float) -> None:
        """Zoom in if below 1. The cursor stays in its place."""
        length = round(min(max(self.length_ns * factor, _LEAST_NS), self.scale_ns))
        share = (self.at_ns - self.start_ns) / self.length_ns
        self.length_ns = length
        self._start_at(self.at_ns - round(share * length))

    def pan(self, share: float) -> None:
        """Move by a share of the visible time, with the cursor."""
        by = round(share * self.length_ns)
        self._start_at(self.start_ns + by)
        self.at_ns = min(max(self.at_ns + by, self.start_ns), self.start_ns + self.length_ns - 1)

    def move_to(self, at_ns: int) -> None:
        """Move the cursor, and scroll to it."""
        self.at_ns = min(max(at_ns, 0), self.scale_ns - 1)
        if not self.start_ns <= self.at_ns < self.start_ns + self.length_ns:
            near = self.start_ns - self.length_ns <= self.at_ns < self.start_ns + 2 * self.length_ns
            if near and self.at_ns < self.start_ns:
                self._start_at(self.at_ns)
            elif near:
                self._start_at(self.at_ns - self.length_ns + 1)
            else:
                self._start_at(self.at_ns - self.length_ns // 2)

    def _start_at(self, start_ns: int) -> None:
        self.start_ns = min(max(start_ns, 0), self.scale_ns - self.length_ns)


class RunRows(Widget, can_focus=True):
    """A title, an axis, rows; below them, if wanted, counts of holders and waiters.

    Attributes:
        row: The cursor's row.
        top: The first visible row.
        names_width: Width of the names.
        counts: Whether holders and waiters are drawn.
    """

    DEFAULT_CSS = "RunRows { width: 1fr; height: 1fr; }"

    @dataclass
    class Chosen(Message):
        """A row and perhaps a time were clicked; the cursor is there now."""

        at_ns: int | None

    def __init__(self, run: Run, view: TimeView, theme: Theme) -> None:
        super().__init__()
        self.run = run
        self.windows = RowWindows(run)
        self.names_width = 1
        self.row = self.top = 0
        self.counts = False
        self._view, self._theme = view, theme
        self._strips: list[Strip] | None = None
        self._grid: Grid | None = None

    @property
    def chosen(self) -> Lane | Request | None:
        return self.run.rows[self.row] if self.run.rows else None

    @property
    def columns(self) -> int:
        return max(self.size.width - self.names_width, 1)

    def move_to(self, row: int) -> None:
        """Move the cursor, and scroll to it."""
        self.row = min(max(row, 0), max(len(self.run.rows) - 1, 0))
        self.redraw()

    def find(self, text: str, row: int, step: int = 1) -> int | None:
        """Return the next row whose name contains the text, starting at ``row`` and wrapping around."""
        text = text.casefold()
        places = range(len(self._names))
        return next((at for at in (*places[row::step], *places[::step]) if text in self._names[at]), None)

    def redraw(self) -> None:
        self._strips = self._grid = None
        self.refresh()

    @property
    def grid(self) -> Grid:
        if self._grid is None:
            self.top = min(max(self.top, self.row - self.room + 1), self.row)
            self.top = max(min(self.top, len(self.run.rows) - self.room), 0)
            window = self._view.window(self.columns)
            self._grid = self.windows.grid(self.top, self.top + self.room, window, self._view.until_ns)
        return self._grid

    @property
    def room(self) -> int:
        return max(self.size.height - _ABOVE - self._counts_height, 1)

    @cached_property
    def _names(self) -> list[str]:
        return [row.name.casefold() for row in self.run.rows]

    def names(self) -> Iterator[str]:
        """Yield the names that need space on the left."""
        yield self._longest
        if self.counts:
            yield from (count_label(one, self._theme) for one in self._counted)

    def prepare(self) -> None:
        """Count holders and waiters before the user asks, as that takes a moment."""
        _ = self._counted

    @cached_property
    def _longest(self) -> str:
        return max((row.name for row in self.run.rows), key=cell_len, default="")

    @cached_property
    def _counted(self) -> tuple[Counted, ...]:
        return counted(self.run)

    @property
    def _counts_height(self) -> int:
        if not self.counts:
            return 0
        lines = sum(2 if one.heading else 1 for one in self._counted)
        return min(lines, (self.size.height - _ABOVE) // 2)

    def _count_lines(self) -> list[Line]:
        if not self._counts_height:
            return []
        lines = count_lines(self._counted, self._view.window(self.columns), self._theme, self.names_width)
        return list(islice(lines, self._counts_height))

    def render_line(self, y: int) -> Strip:
        if self._strips is None:
            self._strips = self._draw()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def on_resize(self) -> None:
        self.redraw()

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.redraw()

    def _draw(self) -> list[Strip]:
        grid, window = self.grid, self._view.window(self.columns)
        axis, *lines = timeline_lines(grid, self._theme, self.names_width)
        if not grid.rows:
            lines = [text_line(fit(empty_words(self.run), self.size.width, self._theme.ellipsis), DIM)]
        base = self.rich_style
        strips = [self._strip(line, base) for line in (self._title(len(grid.rows)), axis, *lines)]
        column = (self._view.at_ns - window.start_ns) // window.column_ns
        if 0 <= column < window.columns:
            place = self.names_width + column
            strips[1] = _replaced(strips[1], place, place + 1, "▼")
            if grid.rows:
                at = _ABOVE + self.row - self.top
                strips[at] = _marked(strips[at], place, place + 1)
                strips[at] = _marked(strips[at], 0, self.names_width - 1)
        missing = self.size.height - len(strips)
        below = [self._strip(line, base) for line in self._count_lines()]
        blank = Strip.blank(self.size.width, base)
        return [*strips, *[blank] * (missing - len(below)), *below]

    def _strip(self, line: Line, base: Style) -> Strip:
        # One pass, without measuring each piece: a line of a busy row has a hundred of them.
        segments = [Segment(text, base + style if style else base) for text, style, _ in line]
        length = cell_len("".join([segment.text for segment in line]))
        return Strip(segments, length).adjust_cell_length(self.size.width, base)

    def _title(self, drawn: int) -> Line:
        line = run_title(self.run, self.windows.length_ns, self._theme, self.size.width)
        if len(line) < _TITLE_PARTS:
            return line  # it is too narrow for more
        many = len(self.run.rows)
        if 0 < drawn < many:
            words = f"{noun(self.run)}s {self.top + 1:,}-{self.top + drawn:,} of {many:,}"
        else:
            words = count(many, noun(self.run))
        name, rule, status = line[1], line[2], line[3]
        # The words replace part of the rule.
        room = len(rule.text) - 2
        if len(words) + 3 <= room:
            rest = rule.text.strip()[: room - len(words) - 1]
            rule = Segment(f" {words} {rest} ", DIM)
        style = EMPHASIS + _CURSOR if self.has_focus else EMPHASIS
        return [line[0], Segment(name.text, style), rule, status]

    def on_click(self, event: events.Click) -> None:
        row = self.top + event.y - _ABOVE
        if not self.top <= row < min(self.top + self.room, len(self.run.rows)):
            return
        self.focus()
        self.move_to(row)
        window = self._view.window(self.columns)
        at = window.start_ns + (event.x - self.names_width) * window.column_ns
        self.post_message(self.Chosen(at if event.x >= self.names_width else None))

    def on_mouse_scroll_down(self) -> None:
        self._scroll(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        self._scroll(-_WHEEL)

    def _scroll(self, by: int) -> None:
        self.top = max(min(self.top + by, len(self.run.rows) - self.room), 0)
        self.row = min(max(self.row, self.top), self.top + self.room - 1)
        self.move_to(self.row)
        self.post_message(self.Chosen(None))


def _marked(strip: Strip, start: int, end: int) -> Strip:
    before, inside, after = _divided(strip, start, end)
    turned = Strip(
        [Segment(text, style + _CURSOR if style else _CURSOR) for text, style, _ in inside],
        inside.cell_length,
    )
    return Strip.join([before, turned, after])


def _replaced(strip: Strip, start: int, end: int, text: str) -> Strip:
    before, replaced, after = _divided(strip, start, end)
    inside = Strip([Segment(text, EMPHASIS)], end - start) if replaced else replaced
    return Strip.join([before, inside, after])


def _divided(strip: Strip, start: int, end: int) -> tuple[Strip, Strip, Strip]:
    """Return what is before, inside and after: empty where the strip is shorter."""
    start, end = min(start, strip.cell_length), min(end, strip.cell_length)
    return strip.crop(0, start), strip.crop(start, end), strip.crop(end, strip.cell_length)
