"""The stretch of a run that shows why a check failed: a small timeline, or the same in words.

Not for: what failed and why; that is the check's own message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asyncdemo.analysis.metrics import row_totals
from asyncdemo.model import Clock, Evidence, Run
from asyncdemo.render.facts.runs import folded_words, row_words
from asyncdemo.render.terminal.draw import (
    Line,
    cell_marks,
    end_marks,
    gutter_width,
    legend_lines,
    text_line,
    timeline_lines,
)
from asyncdemo.render.terminal.theme import DIM, WARNING, Theme
from asyncdemo.render.timeline.layout import cut, extent_ns, lay_out_part, open_ns
from asyncdemo.render.words import clean, duration, fit

_ROWS = 12
_FOLDING_TAKES = 4
"""Lines that say what the folded lanes did: so many lanes more have a row instead."""


def evidence_lines(
    evidence: Evidence,
    theme: Theme,
    width: int,
    rows: int = _ROWS,
    *,
    title: str = "",
    marked_ns: int | None = None,
) -> Iterator[Line]:
    """What it is, a timeline of the lanes that matter, and a legend.

    rows: more lanes are folded. title: instead of "What was seen". marked_ns: a moment with a mark above it.
    """
    shown = _stretch(evidence).rows
    if len(shown) <= rows + _FOLDING_TAKES:
        rows = len(shown)
    has_ends = any(row.outcome in theme.ends for row in shown)
    gutter = gutter_width([row.name for row in shown[:rows]], len(shown), rows, width, has_ends)
    stretch, zero = _stretch(evidence), open_ns(evidence.run)
    grid = lay_out_part(stretch, evidence.start_ns, evidence.end_ns, zero, width - gutter, rows)
    caption = f"{title or 'What was seen'}{_in_which_time(evidence.run)}{_which_part(evidence)}:"
    yield text_line(fit(caption, width, theme.ellipsis), DIM)
    if marked_ns is not None:
        share = (marked_ns - evidence.start_ns) / max(evidence.end_ns - evidence.start_ns, 1)
        column = min(int(share * (width - gutter)), width - gutter - 1)
        yield text_line(" " * (gutter + column) + theme.here, WARNING)
    yield from timeline_lines(grid, theme, gutter)
    ended = {row.ended for row in grid.rows}
    marks = [*cell_marks(theme, [grid]), *end_marks(theme, ended, grid.noun)]
    yield from legend_lines(theme, width, marks, grid.shades)


def evidence_text(evidence: Evidence, lanes: int = _ROWS) -> Iterator[str]:
    """What it is, and a line for each lane that matters, up to a bound; times are those of the whole run."""
    yield f"seen{_in_which_time(evidence.run)}{_which_part(evidence)}:"
    stretch, zero = _stretch(evidence), open_ns(evidence.run)
    rows, totals = stretch.rows, row_totals(stretch)
    shown = len(rows) if len(rows) <= lanes + 1 else lanes
    for row, total in zip(rows[:shown], totals[:shown], strict=True):
        yield f"  {clean(row.name)}: {row_words(row, total, zero)}"
    if shown < len(rows):
        yield "  " + folded_words(rows[shown:], totals[shown:])


def _stretch(evidence: Evidence) -> Run:
    """The run with only the rows that matter, and only the part of them that shows it."""
    run = evidence.run
    requests = tuple(run.requests[index] for index in evidence.requests)
    lanes = () if requests else tuple(run.lanes[index] for index in evidence.lanes)
    return cut(replace(run, lanes=lanes, requests=requests), evidence.start_ns, evidence.end_ns)


def _in_which_time(run: Run) -> str:
    return ", in virtual time" if run.clock is Clock.VIRTUAL else ""


def _which_part(evidence: Evidence) -> str:
    """Told where the picture is not of the whole run."""
    zero = open_ns(evidence.run)
    start, end = evidence.start_ns - zero, evidence.end_ns - zero
    length = max(extent_ns(evidence.run), end)  # a server may be stuck for longer than its clients wait
    if start <= 0 and end >= length:
        return ""
    return f", from {duration(max(start, 0))} to {duration(end)} of {duration(length)}"
