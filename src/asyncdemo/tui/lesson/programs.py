"""The programs of a lesson to read: the lines in which they differ are marked, all others dim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive

from asyncdemo.course.content.lesson import Variant
from asyncdemo.course.content.listing import Listing, listings
from asyncdemo.render.terminal.draw import Line, beside
from asyncdemo.render.terminal.theme import COLOURS, DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.words import fit
from asyncdemo.render.wrapping import code_parts
from asyncdemo.safe_text import clean
from asyncdemo.tui.app import KeyFooter, LearnerScreen
from asyncdemo.tui.drawing import Drawing

_SIDE_BY_SIDE: Final = 140
_NARROWEST: Final = 44
_GAP: Final = 3
_MARK: Final = Style(color=COLOURS[Shade.READY], bold=True)


class Programs(Drawing):
    """Side by side if there is room, else one at a time."""

    current: reactive[int] = reactive(0)
    first: reactive[int | None] = reactive(None)
    """The line at the top; None: wherever most of the differing lines are visible."""

    def __init__(self, variants: Sequence[Variant], glyphs: Theme, *, one: bool = False) -> None:
        """``one``: only one at a time, in the full width."""
        super().__init__(self._lines)
        self._one = one
        self._variants, self._glyphs = tuple(variants), glyphs
        self._listings = list(listings(variants).values())
        self._numbered = [list(_numbered(shown, glyphs)) for shown in self._listings]

    @property
    def side_by_side(self) -> bool:
        return not self._one and self.size.width >= _SIDE_BY_SIDE and self._each >= _NARROWEST

    @property
    def _each(self) -> int:
        return (self.size.width - _GAP * (len(self._variants) - 1)) // len(self._variants)

    def show(self, name: str) -> None:
        for place, variant in enumerate(self._variants):
            if variant.name == name:
                self.current = place

    def turn(self) -> None:
        self.current = (self.current + 1) % len(self._variants)

    def page(self, by: int) -> None:
        """Scroll by this many pages if a program is longer than its space."""
        places = range(len(self._variants)) if self.side_by_side else [self.current]
        width = self._each if self.side_by_side else self.size.width
        blocks = [self._broken(place, width, self.size.height - 1) for place in places]
        step = max(self.size.height - 2, 1)
        first = max(self._top(lines, step) for lines in blocks)
        self.first = min(max(first + by * step, 0), max(*map(len, blocks), step) - step)

    def watch_current(self) -> None:
        self.first = None
        self.redraw()

    def watch_first(self) -> None:
        self.redraw()

    def _lines(self, width: int, height: int) -> list[Line]:
        if not self._variants or height < 2:
            return []
        if self.side_by_side:
            blocks = [
                [self._heading(place, self._each), *self._program(place, self._each, height - 1)]
                for place in range(len(self._variants))
            ]
            return list(beside(blocks, self._each))
        return [self._tabs(width), *self._program(self.current, width, height - 1)]

    def _heading(self, place: int, width: int) -> Line:
        variant = self._variants[place]
        name = fit(variant.name, width, self._glyphs.ellipsis)
        words = fit(f"  {clean(variant.title)}", width - len(name), self._glyphs.ellipsis)
        return [Segment(name, EMPHASIS), Segment(words, DIM)]

    def _tabs(self, width: int) -> Line:
        """Return their names, with the current one highlighted, and its title."""
        line: Line = []
        for place, variant in enumerate(self._variants):
            style = Style(reverse=True, bold=True) if place == self.current else None
            line += [Segment(f" {variant.name} ", style), Segment(" ")]
        used = sum(len(segment.text) for segment in line)
        title = clean(self._variants[self.current].title)
        return [*line, Segment(fit(f" {title}", width - used, self._glyphs.ellipsis), DIM)]

    def _program(self, place: int, width: int, height: int) -> list[Line]:
        """Omit empty lines if there is not enough space, then show a part of it."""
        lines = self._broken(place, width, height)
        if len(lines) > height:
            first = self._top(lines, height - 1)
            shown = lines[first : first + height - 1]
            left = len(lines) - first - len(shown)
            words = [f"{left} more below: PgDn"] * (left > 0) + [f"{first} above: PgUp"] * (first > 0)
            lines = [*shown, [Segment(f"      {', '.join(words)}", DIM)]]
        return [self._cut(line, width) for line in lines]

    def _top(self, lines: Sequence[Line], height: int) -> int:
        """Return which line is at the top if the space is too low for all of them."""
        if self.first is not None:
            return self.first
        marked = [place for place, line in enumerate(lines) if line[1].text.strip()]
        return 0 if self._one or not marked else min(marked[0], max(marked[-1] + 1 - height, 0))

    def _broken(self, place: int, width: int, height: int) -> list[Line]:
        """Wrap every line if one program has the full width, else only those that differ."""
        lines = self._numbered[place]
        broken = [part for line in lines for part in _wrapped(line, width, self._one)]
        if len(broken) > height and not self._one:
            broken = [part for line in lines if line[2:] for part in _wrapped(line, width, self._one)]
        return broken

    def _cut(self, line: Line, width: int) -> Line:
        if Segment.get_line_length(line) <= width:
            return line
        ellipsis = Segment(self._glyphs.ellipsis, DIM)
        return [*Segment.adjust_line_length(line, width - 1, pad=False), ellipsis]


class CodeScreen(LearnerScreen):
    """One program at a time on the whole screen, so that no line is cut."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,c", "app.leave_screen", "Back"),
        Binding("p", "turn", "Other program"),
        Binding("pagedown,down", "page(1)", "Down"),
        Binding("pageup,up", "page(-1)", "Up"),
    ]

    def __init__(self, variants: Sequence[Variant], glyphs: Theme) -> None:
        super().__init__()
        self._programs = Programs(variants, glyphs, one=True)

    def compose(self) -> ComposeResult:
        yield self._programs
        yield KeyFooter()

    def action_turn(self) -> None:
        self._programs.turn()

    def action_page(self, by: int) -> None:
        self._programs.page(by)


def _wrapped(line: Line, width: int, each: bool) -> list[Line]:
    """Wrap a long line, indented. ``each``: every line, not only those that differ."""
    head, code = line[:2], line[2:]
    if not (each or head[1].text.strip()):
        return [line]
    text = "".join(segment.text for segment in code)
    parts, indent = code_parts(text, width - Segment.get_line_length(head))
    first, *others = Segment.divide(code, list(accumulate(map(cell_len, parts))))
    return [[*head, *first], *([Segment("    "), head[1], Segment(" " * indent), *part] for part in others)]


def _numbered(shown: Listing, glyphs: Theme) -> Iterator[Line]:
    """Yield each line: number, mark, and the code, if any."""
    console = Console()
    code = Syntax(shown.source, "python", theme="ansi_dark", background_color="default").highlight(
        shown.source
    )
    coloured = code.split("\n", allow_blank=True)
    for number in range(shown.first, shown.first + len(shown.lines)):
        marked = number in shown.marked
        text = coloured[number - 1]
        text.rstrip()
        segments = [part for part in text.render(console) if part.text]
        yield [
            Segment(f"{number:3} ", DIM),
            Segment(f"{glyphs.side} " if marked else "  ", _MARK),
            *(segments if marked else [Segment(part.text, DIM) for part in segments]),
        ]
