"""Ratios on one axis in the cells of a terminal: a bar from 1, its interval, the published mark, the bound.

Like ``bars`` in SVG. Each thing has its own glyph, so it works without colours.
Not here: the figures as words (see ``report_text``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.segment import Segment
from rich.style import Style

from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.theme import DIM
from asyncdemo.render.timeline.scales import Scale
from asyncdemo.render.words import clean, fit


@dataclass(frozen=True, slots=True)
class Marks:
    """Glyphs. ``interval`` has its begin, middle and end, and one for all of it in one cell."""

    one: str
    bar: str
    bound: str
    interval: tuple[str, str, str, str]
    published: str
    ellipsis: str
    times: str


UNICODE: Final = Marks("│", "▒", "┊", ("├", "─", "┤", "┼"), "◆", "…", "×")
ASCII: Final = Marks("|", ":", "!", ("[", "-", "]", "+"), "P", "~", "x")

_OURS: Final = Style(color="#56b4e9")
_INTERVAL: Final = Style(bold=True)
_PUBLISHED: Final = Style(color="#e69f00", bold=True)
_LABEL: Final = 24
_Cell = tuple[str, Style | None]


def strip_lines(rows: Sequence[Comparison], marks: Marks, width: int) -> Iterator[Line]:
    """Yield a line for each row, the axis, and a legend; nothing if there is nothing to draw."""
    drawn = [row for row in rows if _values(row)]
    if not drawn:
        return
    scale = Scale.around([1.0, *(value for row in drawn for value in _values(row))], logarithmic=True)
    label = min(_LABEL, width // 3, 2 + max(len(clean(row.name)) for row in drawn))
    room = width - label
    for row in drawn:
        name = fit(clean(row.name), label - 1, marks.ellipsis, pad=True)
        yield [Segment(f"{name} "), *_segments(_strip(row, marks, scale, room))]
    yield [Segment(" " * label), Segment(_axis(scale, room, marks), DIM)]
    yield [Segment(" " * label), *_legend(drawn, marks)]


def _values(row: Comparison) -> list[float]:
    found = [row.measured.least, row.measured.median, row.measured.most] if row.measured else []
    if row.published and row.published.ratio:
        found.append(row.published.ratio)
    return [*found, row.bound.ratio] if found and row.bound else found


def _strip(row: Comparison, marks: Marks, scale: Scale, room: int) -> list[_Cell]:
    """Draw the more exact marks, and those of others, on top of the rest."""
    cells: list[_Cell] = [(" ", None)] * room
    one = _place(1.0, scale, room)
    cells[one] = (marks.one, DIM)
    if row.bound:
        cells[_place(row.bound.ratio, scale, room)] = (marks.bound, None)
    if row.measured:
        ends = sorted((one, _place(row.measured.median, scale, room)))
        for place in range(ends[0], ends[1] + 1):
            cells[place] = (marks.bar, _OURS) if cells[place][0] == " " else cells[place]
        least, most = (_place(value, scale, room) for value in (row.measured.least, row.measured.most))
        begin, middle, end, all_of_it = marks.interval
        cells[least : most + 1] = [(middle, _INTERVAL)] * (most + 1 - least)
        cells[least], cells[most] = (begin, _INTERVAL), (end, _INTERVAL)
        if least == most:
            cells[least] = (all_of_it, _INTERVAL)
    if row.published and row.published.ratio:
        cells[_place(row.published.ratio, scale, room)] = (marks.published, _PUBLISHED)
    return cells


def _segments(cells: Iterable[_Cell]) -> Iterator[Segment]:
    for style, run in groupby(cells, key=lambda cell: cell[1]):
        yield Segment("".join(glyph for glyph, _ in run), style)


def _axis(scale: Scale, room: int, marks: Marks) -> str:
    """Return labels where there is room for them, from the left."""
    line = ""
    for value in scale.lines:
        words = number(value) + marks.times
        place = min(max(_place(value, scale, room) - len(words) // 2, 0), room - len(words))
        if not line or place > len(line):
            line = line.ljust(place) + words
    return line


def _legend(rows: Sequence[Comparison], marks: Marks) -> Iterator[Segment]:
    parts = [
        (marks.bar, _OURS, "ours", any(row.measured for row in rows)),
        ("".join(marks.interval[:3]), _INTERVAL, "interval", any(row.measured for row in rows)),
        (marks.published, _PUBLISHED, "published", any(row.published for row in rows)),
        (marks.bound, None, "bound", any(row.bound for row in rows)),
    ]
    for glyph, style, words, there in parts:
        if there:
            yield Segment(glyph, style)
            yield Segment(f" {words}   ", DIM)


def _place(value: float, scale: Scale, room: int) -> int:
    return min(int(scale.percent(value) / 100 * room), room - 1)
