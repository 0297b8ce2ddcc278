"""The stretch of a run that shows why a check failed: a small timeline, or the same in words.

Also two runs that differ in their schedules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asyncdemo.analysis.schedules import Difference
from asyncdemo.model import Clock, Evidence, Run
from asyncdemo.render.facts.runs import folded_words, row_words
from asyncdemo.render.terminal.draw import Line, gutter_width, legend_of, text_line, timeline_lines
from asyncdemo.render.terminal.theme import DIM, WARNING, Theme
from asyncdemo.render.timeline.layout import cut, extent_ns, lay_out_part, open_ns
from asyncdemo.render.words import duration, fit
from asyncdemo.safe_text import clean

_ROWS = 12
_FOLDING_TAKES = 4
"""Lines with the counts of folded lanes. This many more lanes get a row instead."""


def evidence_lines(
    evidence: Evidence,
    theme: Theme,
    width: int,
    rows: int = _ROWS,
    *,
    title: str = "",
    marked_ns: int | None = None,
) -> Iterator[Line]:
    """Yield a title, a timeline of the relevant lanes, and a legend.

    More lanes than ``rows`` are folded. ``title`` replaces "What was seen". ``marked_ns`` gets a mark above.
    """
    shown = _stretch(evidence).rows
    if len(shown) <= rows + _FOLDING_TAKES:
        rows = len(shown)
    has_ends = any(row.outcome in theme.ends for row in shown)
    gutter = gutter_width([row.name for row in shown[:rows]], len(shown), rows, width, has_ends)
    stretch, zero = _stretch(evidence), open_ns(evidence.run)
    grid = lay_out_part(stretch, evidence.start_ns, evidence.end_ns, zero, width - gutter, rows)
    caption = f"{title or 'What was seen'}{_which_part(evidence)}:"
    yield text_line(fit(caption, width, theme.ellipsis), DIM)
    if marked_ns is not None:
        share = (marked_ns - evidence.start_ns) / max(evidence.end_ns - evidence.start_ns, 1)
        column = min(int(share * (width - gutter)), width - gutter - 1)
        yield text_line(" " * (gutter + column) + theme.here, WARNING)
    yield from timeline_lines(grid, theme, gutter)
    yield from legend_of([grid], theme, width)


def pair_lines(
    first: Run, second: Run, difference: Difference | None, theme: Theme, width: int
) -> Iterator[Line]:
    """Yield two runs of one script on one scale, with the first difference marked in both."""
    length_ns = max(extent_ns(first), extent_ns(second))
    for run, moments, title in (
        (first, difference.first if difference else (), "Without a delay"),
        (second, difference.second if difference else (), "With it"),
    ):
        start_ns = open_ns(run)
        shown = Evidence(run, tuple(range(len(run.lanes))), start_ns, start_ns + length_ns)
        marked_ns = start_ns + moments[0].at_ns if moments else None
        yield from evidence_lines(shown, theme, width, title=title, marked_ns=marked_ns)
        yield []


def evidence_text(evidence: Evidence) -> Iterator[str]:
    """Yield a title, and a line for each relevant lane, up to a limit. Times are those of the whole run."""
    yield f"seen{_which_part(evidence)}:"
    stretch, zero = _stretch(evidence), open_ns(evidence.run)
    rows = stretch.rows
    shown = len(rows) if len(rows) <= _ROWS + 1 else _ROWS
    for row in rows[:shown]:
        yield f"  {clean(row.name)}: {row_words(row, zero)}"
    if shown < len(rows):
        yield "  " + folded_words(rows[shown:])


def _stretch(evidence: Evidence) -> Run:
    """Return the run reduced to the relevant rows, and the relevant part of them."""
    run = evidence.run
    requests = tuple(run.requests[index] for index in evidence.requests)
    lanes = () if requests else tuple(run.lanes[index] for index in evidence.lanes)
    return cut(replace(run, lanes=lanes, requests=requests), evidence.start_ns, evidence.end_ns)


def _which_part(evidence: Evidence) -> str:
    """Return whether time is virtual, and which part the picture shows if it isn't the whole run."""
    virtual = ", in virtual time" if evidence.run.clock is Clock.VIRTUAL else ""
    zero = open_ns(evidence.run)
    start, end = evidence.start_ns - zero, evidence.end_ns - zero
    length = max(extent_ns(evidence.run), end)  # a server may be stuck for longer than its clients wait
    if start <= 0 and end >= length:
        return virtual
    return f"{virtual}, from {duration(max(start, 0))} to {duration(end)} of {duration(length)}"
