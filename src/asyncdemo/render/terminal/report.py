"""The report of a finished run in a terminal: timelines on one scale, facts, findings, notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.console import Console

from asyncdemo.model import Run
from asyncdemo.render.facts import Fact
from asyncdemo.render.facts.runs import Account, account_for, empty_words, finding_words
from asyncdemo.render.terminal.draw import (
    Line,
    Lines,
    beside,
    gutter_width,
    hanging,
    legend_of,
    panel_width,
    prose,
    text_line,
    timeline_lines,
    title_line,
)
from asyncdemo.render.terminal.sections import sections_of
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, WARNING, Theme, theme_for
from asyncdemo.render.timeline.curves import memory_curves, most_of
from asyncdemo.render.timeline.grid import Grid
from asyncdemo.render.timeline.layout import lay_out
from asyncdemo.render.words import fit, status, title
from asyncdemo.render.wrapping import wrap

_LABEL = 14
_LEAST_ROWS = 16
_BELOW = 21
"""Lines that facts, legend and a finding take below the picture."""


def print_report(
    runs: Sequence[Run],
    console: Console,
    expected: Collection[str] = (),
    details: bool = False,
) -> None:
    """Print the report. More lanes or requests than fit on most of a screen are folded.

    ``expected`` is as in ``account_for``. With ``details``, all figures are shown, not only the main ones.
    """
    rows = max(_LEAST_ROWS, console.height - _BELOW)
    theme = theme_for(console.encoding)
    lines = report_lines(runs, theme, console.width, rows, expected, details)
    console.print(Lines(lines), soft_wrap=True, highlight=False)


def report_lines(
    runs: Sequence[Run],
    theme: Theme,
    width: int,
    rows: int = 24,
    expected: Collection[str] = (),
    details: bool = False,
    findings_first: bool = False,
) -> Iterator[Line]:
    """Yield the report, no line wider than ``width``.

    ``findings_first``: on a screen, which shows the start first, they come before the pictures.
    """
    accounts = account_for(runs, expected)
    remarks = [line for account in accounts for line in _remarks(account, theme, width, len(accounts) > 1)]
    if findings_first and remarks:
        yield from (*remarks[1:], [])
    each, side_by_side = panel_width(len(runs), width)
    names = [row.name for run in runs for row in run.rows[:rows]]
    marked = any(row.outcome in theme.ends for run in runs for row in run.rows[:rows])
    longest = max((len(run.rows) for run in runs), default=0)
    gutter = gutter_width(names, longest, rows, each, marked)
    grids = lay_out(runs, each - gutter, rows)
    most = most_of([memory_curves(run) for run in runs])
    sections = [sections_of(run, theme, gutter, grid, most) for run, grid in zip(runs, grids, strict=True)]
    pictures = [
        [*_picture(account.run, grid, theme, each, gutter), *lines, []]
        for account, grid, (lines, _) in zip(accounts, grids, sections, strict=True)
    ]
    facts = [[*_facts(account.facts if details else account.brief, each), []] for account in accounts]
    if side_by_side:
        yield from beside(pictures, each)
        yield from beside(facts, each)
    else:
        for picture, fact_lines in zip(pictures, facts, strict=True):
            yield from picture
            yield from fact_lines
    if any(grid.rows for grid in grids):
        yield from legend_of([*grids, *(grid for _, below in sections for grid in below)], theme, width)
    if not findings_first:
        yield from remarks


def _picture(run: Run, grid: Grid, theme: Theme, width: int, gutter: int) -> Iterator[Line]:
    yield title_line(title(run), status(run), theme, width)
    if grid.rows:
        yield from timeline_lines(grid, theme, gutter)
    else:
        yield text_line(empty_words(run), DIM)


def _facts(facts: Iterable[Fact], width: int) -> Iterator[Line]:
    label = min(_LABEL, width // 3)
    for fact in facts:
        style = WARNING if fact.warns else None
        values = (text_line(part, style) for part in wrap(fact.value, width - label))
        yield from hanging(fact.label[: label - 1].ljust(label), values, DIM)


def _remarks(account: Account, theme: Theme, width: int, named: bool) -> Iterator[Line]:
    mark = f"  {theme.dot} "
    if account.findings:
        yield []
        heading = f"Found in {title(account.run)}" if named else "Found"
        yield text_line(fit(heading, width, theme.ellipsis), EMPHASIS)
        for finding in account.findings:
            message, advice = finding_words(finding)
            yield from hanging(mark, prose(wrap(message, width - 4)))
            yield from hanging("    ", prose(wrap(advice, width - 4), DIM))
    if account.notes:
        yield []
        heading = f"Notes on {title(account.run)}" if named else "Notes"
        yield text_line(fit(heading, width, theme.ellipsis), EMPHASIS)
        for note in account.notes:
            yield from hanging(mark, prose(wrap(note, width - 4)))
