"""The report of a record in a terminal: a table and strips on one axis for each figure, then all the rest.

Not here: the words (see ``report_text``), text without a terminal (see ``plain``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import Flag, Withdraws
from asyncdemo.lab.results.ratio import Verdict
from asyncdemo.lab.results.record import Record
from asyncdemo.render.lab import strips
from asyncdemo.render.lab.folding import Folded, arithmetic, differing, differing_everywhere, doubts
from asyncdemo.render.lab.report_text import (
    Group,
    blocks,
    costs,
    groups,
    interval,
    medians,
    published,
    run_words,
    times,
    verdict_words,
    verdicts,
)
from asyncdemo.render.lab.strips import Marks, strip_lines
from asyncdemo.render.terminal.draw import Lines, title_line
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, UNICODE, WARNING, Theme, theme_for
from asyncdemo.render.words import clean

_WIDE: Final = 120
"""Minimum width for a column of medians; below it, they are under the table."""
_LABEL: Final = 24
_INDENT: Final = (0, 0, 0, 2)
_STYLES: Final = {
    Verdict.REPRODUCED: Style(color="#009e73"),
    Verdict.DIRECTION_ONLY: Style(color="#e69f00"),
    Verdict.UNDECIDED: DIM,
    Verdict.NOT_REPRODUCED: WARNING,
    Verdict.REFUSED: DIM,
}


@dataclass(frozen=True, slots=True)
class _Look:
    """What the terminal can show. Letters that its ``encoding`` lacks become escapes."""

    theme: Theme
    marks: Marks
    width: int
    encoding: str

    def text(self, words: str, style: Style | None = None) -> Text:
        words = clean(words).replace("×", self.marks.times)
        shown = words.encode(self.encoding, "backslashreplace").decode(self.encoding)
        return Text(shown, style or "")

    def sign(self, verdict: Verdict) -> str:
        """Return a sign, as similar words are hard to tell apart without colours."""
        good, bad = self.theme.good, self.theme.bad
        signs = {
            Verdict.REPRODUCED: good,
            Verdict.DIRECTION_ONLY: "~",
            Verdict.UNDECIDED: "?",
            Verdict.NOT_REPRODUCED: bad,
        }
        return signs.get(verdict, "-")


def print_report(record: Record, console: Console) -> None:
    for part in report_parts(record, console.width, console.encoding):
        console.print(part, highlight=False)


def report_parts(record: Record, width: int, encoding: str = "utf-8") -> Iterator[RenderableType]:
    """Yield the report. No line is wider than ``width``."""
    theme = theme_for(encoding)
    marks = strips.UNICODE if theme is UNICODE else strips.ASCII
    look = _Look(theme, marks, width, encoding)
    yield Lines([title_line(look.text(record.title).plain, run_words(record), theme, width)])
    yield look.text(verdicts(record), EMPHASIS)
    if record.flags:
        yield _flags(record.flags, look)
    every = groups(record)
    everywhere = differing_everywhere(every)
    if everywhere:
        yield _terms([("differs in all rows", words) for words in everywhere], look)
    for group in every:
        yield from _group(group, everywhere, look)
    for title, pairs in blocks(record):
        yield Text()
        yield look.text(title, EMPHASIS)
        yield _terms(pairs, look)


def _group(group: Group, everywhere: Collection[str], look: _Look) -> Iterator[RenderableType]:
    yield Text()
    yield look.text(group.title, EMPHASIS) + look.text(f" ({group.better})", DIM)
    wide = look.width >= _WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=DIM)
    for title in ("", "published", "bound", "ours [interval]", "verdict"):
        table.add_column(Text(title), overflow="fold", no_wrap=title not in {"", "verdict"})
    if wide:
        table.add_column("medians", no_wrap=True)
    for row in group.rows:
        cells = [*_cells(row, look), look.text(medians(row), DIM)]
        table.add_row(*cells[: len(table.columns)])
    yield table
    drawn = list(strip_lines(group.rows, look.marks, look.width))
    if drawn and any(row.measured for row in group.rows):
        yield Text()
        yield Lines([*drawn, []])
    told = [*arithmetic(group, with_medians=not wide), differing(group, everywhere), *doubts(group)]
    if any(folded.said for folded in told):
        yield _folded(told, look)


def _cells(row: Comparison, look: _Look) -> Iterator[Text]:
    ours = look.text(interval(row.measured), EMPHASIS) if row.measured else look.text("refused", DIM)
    yield look.text(row.name)
    yield look.text(published(row))
    yield look.text(times(row.bound.ratio) if row.bound else "")
    yield ours
    yield _verdict(row, look)


def _verdict(row: Comparison, look: _Look) -> Text:
    if row.verdict is None:
        return look.text("nothing published", DIM)
    return look.text(f"{look.sign(row.verdict)} {verdict_words(row)}", _STYLES[row.verdict])


def _folded(told: Iterable[Folded], look: _Look) -> RenderableType:
    """Return each term once, to the left of its remarks."""
    grid = _grid()
    for folded in told:
        style = DIM if folded.withdraws is Withdraws.NOTHING else WARNING
        for number, (names, words) in enumerate(folded.lines()):
            term = look.text("" if number else folded.term, style)
            whom = look.text(f"{names}: ", EMPHASIS) if names else Text()
            grid.add_row(term, whom + look.text(words))
    return Padding(grid, _INDENT)


def _flags(flags: Iterable[Flag], look: _Look) -> RenderableType:
    grid = _grid()
    for flag in flags:
        style = None if flag.withdraws is Withdraws.NOTHING else WARNING
        words = look.text(flag.words, style)
        if costs(flag):
            words += look.text(f" {costs(flag)}")
        if flag.advice:
            words += look.text(f" {flag.advice}", DIM)
        grid.add_row(look.text(flag.kind.value, style), words)
    return Padding(grid, _INDENT)


def _terms(pairs: Iterable[tuple[str, str]], look: _Look) -> RenderableType:
    """Return the descriptions, with their terms to the left."""
    grid = _grid()
    for term, words in pairs:
        grid.add_row(look.text(term, DIM), look.text(words))
    return Padding(grid, _INDENT)


def _grid() -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(max_width=_LABEL, overflow="fold")
    grid.add_column(overflow="fold")
    return grid
