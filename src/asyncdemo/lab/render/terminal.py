"""The report of a record in a terminal: a table and strips on one axis for each figure, then all the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from asyncdemo.lab.render import report_text
from asyncdemo.lab.render.folding import Folded, arithmetic, differing, differing_everywhere, doubts
from asyncdemo.lab.render.report_text import Group, costs, interval, times
from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import Flag, Withdraws
from asyncdemo.lab.results.ratio import Reproduction
from asyncdemo.lab.results.record import Record
from asyncdemo.render.terminal.draw import Line, Lines, title_line
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, UNICODE, WARNING, Theme, theme_for
from asyncdemo.render.timeline.scales import Scale
from asyncdemo.render.words import fit
from asyncdemo.safe_text import clean

_WIDE: Final = 120
"""Minimum width for a column of medians; below it, they are under the table."""
_LABEL: Final = 24
_STYLES: Final = {
    Reproduction.REPRODUCED: Style(color="#009e73"),
    Reproduction.DIRECTION_ONLY: Style(color="#e69f00"),
    Reproduction.UNDECIDED: DIM,
    Reproduction.NOT_REPRODUCED: WARNING,
    Reproduction.REFUSED: DIM,
}


@dataclass(frozen=True, slots=True)
class Look:
    """What the terminal can show. Letters that its ``encoding`` lacks become escapes."""

    theme: Theme
    width: int
    encoding: str = "utf-8"

    def text(self, words: str, style: Style | None = None) -> Text:
        words = clean(words).replace("×", self.marks.times)
        shown = words.encode(self.encoding, "backslashreplace").decode(self.encoding)
        return Text(shown, style or "")

    @property
    def marks(self) -> Marks:
        return _UNICODE if self.theme is UNICODE else _ASCII

    def sign(self, verdict: Reproduction) -> str:
        """Return a sign, as similar words are hard to tell apart without colours."""
        signs = {
            Reproduction.REPRODUCED: self.theme.good,
            Reproduction.DIRECTION_ONLY: "~",
            Reproduction.UNDECIDED: "?",
            Reproduction.NOT_REPRODUCED: self.theme.bad,
        }
        return signs.get(verdict, "-")


def print_report(record: Record, console: Console) -> None:
    look = Look(theme_for(console.encoding), console.width, console.encoding)
    for part in _parts(record, look):
        console.print(part, highlight=False)


def _parts(record: Record, look: Look) -> Iterator[RenderableType]:
    title, run = look.text(record.title).plain, report_text.run_words(record)
    yield Lines([title_line(title, run, look.theme, look.width)])
    yield look.text(report_text.verdicts(record), EMPHASIS)
    if record.flags:
        yield _grid(_flags(record.flags, look))
    every = report_text.groups(record)
    everywhere = differing_everywhere(every)
    if everywhere:
        yield _terms([("differs in all rows", words) for words in everywhere], look)
    for group in every:
        yield from _group(group, everywhere, look)
    for title, pairs in report_text.blocks(record):
        yield Text()
        yield look.text(title, EMPHASIS)
        yield _terms(pairs, look)


def _group(group: Group, everywhere: Collection[str], look: Look) -> Iterator[RenderableType]:
    yield Text()
    yield look.text(group.title, EMPHASIS) + look.text(f" ({group.better})", DIM)
    wide = look.width >= _WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=DIM)
    for title in ("", "published", "bound", "ours [interval]", "verdict"):
        table.add_column(Text(title), overflow="fold", no_wrap=title not in {"", "verdict"})
    if wide:
        table.add_column("medians", no_wrap=True)
    for row in group.rows:
        table.add_row(*list(_cells(row, look))[: len(table.columns)])
    yield table
    drawn = list(strip_lines(group.rows, look))
    if drawn and any(row.measured for row in group.rows):
        yield Text()
        yield Lines([*drawn, []])
    remarks = [*arithmetic(group, with_medians=not wide), differing(group, everywhere), *doubts(group)]
    if any(folded.said for folded in remarks):
        yield _grid(_folded(remarks, look))


def _cells(row: Comparison, look: Look) -> Iterator[Text]:
    yield look.text(row.name)
    yield look.text(report_text.published(row))
    yield look.text(times(row.bound.ratio) if row.bound else "")
    yield look.text(interval(row.measured), EMPHASIS) if row.measured else look.text("refused", DIM)
    if row.verdict is None:
        yield look.text("nothing published", DIM)
    else:
        yield look.text(f"{look.sign(row.verdict)} {report_text.verdict_words(row)}", _STYLES[row.verdict])
    yield look.text(report_text.medians(row), DIM)


def _folded(remarks: Iterable[Folded], look: Look) -> Iterator[tuple[Text, Text]]:
    """Yield each term once, to the left of its remarks."""
    for folded in remarks:
        style = DIM if folded.withdraws is Withdraws.NOTHING else WARNING
        for place, (names, words) in enumerate(folded.lines()):
            whom = look.text(f"{names}: ", EMPHASIS) if names else Text()
            yield look.text("" if place else folded.term, style), whom + look.text(words)


def _flags(flags: Iterable[Flag], look: Look) -> Iterator[tuple[Text, Text]]:
    for flag in flags:
        style = None if flag.withdraws is Withdraws.NOTHING else WARNING
        words = look.text(flag.words, style)
        if costs(flag):
            words += look.text(f" {costs(flag)}")
        if flag.advice:
            words += look.text(f" {flag.advice}", DIM)
        yield look.text(flag.kind.value, style), words


def _terms(pairs: Iterable[tuple[str, str]], look: Look) -> RenderableType:
    return _grid((look.text(term, DIM), look.text(words)) for term, words in pairs)


def _grid(rows: Iterable[tuple[Text, Text]]) -> RenderableType:
    """Return the descriptions, with their terms to the left."""
    grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(max_width=_LABEL, overflow="fold")
    grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*row)
    return Padding(grid, (0, 0, 0, 2))


# -- strips: a bar from 1, its interval, the published mark and the bound, each with its own glyph -----------


@dataclass(frozen=True, slots=True)
class Marks:
    """Glyphs. ``interval`` has its begin, middle and end, and one for all of it in one cell."""

    one: str
    bar: str
    bound: str
    interval: tuple[str, str, str, str]
    published: str
    times: str


_UNICODE: Final = Marks("│", "▒", "┊", ("├", "─", "┤", "┼"), "◆", "×")
_ASCII: Final = Marks("|", ":", "!", ("[", "-", "]", "+"), "P", "x")

_OURS: Final = Style(color="#56b4e9")
_INTERVAL: Final = Style(bold=True)
_PUBLISHED: Final = Style(color="#e69f00", bold=True)


def strip_lines(rows: Sequence[Comparison], look: Look) -> Iterator[Line]:
    """Yield a line for each row, the axis, and a legend; nothing if there is nothing to draw."""
    drawn = [row for row in rows if _values(row)]
    if not drawn:
        return
    scale = Scale.around([1.0, *(value for row in drawn for value in _values(row))], logarithmic=True)
    label = min(_LABEL, look.width // 3, 2 + max(len(clean(row.name)) for row in drawn))
    room = look.width - label
    for row in drawn:
        name = fit(clean(row.name), label - 1, look.theme.ellipsis, pad=True)
        cells = _strip(row, look.marks, scale, room)
        runs = groupby(cells, key=lambda cell: cell[1])
        yield [
            Segment(f"{name} "),
            *(Segment("".join(glyph for glyph, _ in run), style) for style, run in runs),
        ]
    yield [Segment(" " * label), Segment(_axis(scale, room, look.marks), DIM)]
    yield [Segment(" " * label), *_legend(drawn, look.marks)]


def _values(row: Comparison) -> list[float]:
    found = [row.measured.least, row.measured.median, row.measured.most] if row.measured else []
    if row.published and row.published.ratio:
        found.append(row.published.ratio)
    return [*found, row.bound.ratio] if found and row.bound else found


def _strip(row: Comparison, marks: Marks, scale: Scale, room: int) -> list[tuple[str, Style | None]]:
    """Draw the more exact marks, and those of others, on top of the rest."""
    cells: list[tuple[str, Style | None]] = [(" ", None)] * room
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
    measured = any(row.measured for row in rows)
    parts = (
        (marks.bar, _OURS, "ours", measured),
        ("".join(marks.interval[:3]), _INTERVAL, "interval", measured),
        (marks.published, _PUBLISHED, "published", any(row.published for row in rows)),
        (marks.bound, None, "bound", any(row.bound for row in rows)),
    )
    for glyph, style, words, there in parts:
        if there:
            yield Segment(glyph, style)
            yield Segment(f" {words}   ", DIM)


def _place(value: float, scale: Scale, room: int) -> int:
    return min(int(scale.percent(value) / 100 * room), room - 1)
