"""The stretch of a run that shows why a check failed: a small timeline, or the same in words.

Not for: what failed and why; that is the check's own message.
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.checks import Evidence
from asyncdemo.metrics import measure
from asyncdemo.model import Clock, Run
from asyncdemo.render.draw import (
    Line,
    cell_marks,
    end_marks,
    gutter_width,
    legend_lines,
    text_line,
    timeline_lines,
)
from asyncdemo.render.facts import folded_words, lane_words
from asyncdemo.render.layout import cut, extent_ns, lay_out_part, open_ns
from asyncdemo.render.theme import DIM, Theme
from asyncdemo.render.words import clean, duration, fit

__all__ = ["evidence_lines", "evidence_text"]

_ROWS = 12
_FOLDING_TAKES = 4
"""Lines that say what the folded lanes did: so many lanes more have a row instead."""


def evidence_lines(evidence: Evidence, theme: Theme, width: int, rows: int = _ROWS) -> Iterator[Line]:
    """What it is, a timeline of the lanes that matter, and a legend. rows: more lanes are folded."""
    run, lanes = evidence.run, evidence.lanes
    if len(lanes) <= rows + _FOLDING_TAKES:
        rows = len(lanes)
    shown = [run.lanes[index] for index in lanes]
    marked = any(lane.outcome in theme.ends for lane in shown)
    gutter = gutter_width([lane.name for lane in shown[:rows]], len(shown), rows, width, marked)
    grid = lay_out_part(run, lanes, evidence.start_ns, evidence.end_ns, width - gutter, rows)
    caption = f"What was seen{_in_which_time(run)}{_which_part(evidence)}:"
    yield text_line(fit(caption, width, theme.ellipsis), DIM)
    yield from timeline_lines(grid, theme, gutter)
    ended = {row.ended for row in grid.rows}
    yield from legend_lines(theme, width, [*cell_marks(theme, [grid]), *end_marks(theme, ended)])


def evidence_text(evidence: Evidence, lanes: int = _ROWS) -> Iterator[str]:
    """What it is, and a line for each lane that matters, up to a bound; times are those of the whole run."""
    yield f"seen{_in_which_time(evidence.run)}{_which_part(evidence)}:"
    stretch = cut(evidence.run, evidence.lanes, evidence.start_ns, evidence.end_ns)
    zero, totals = open_ns(evidence.run), measure(stretch).lane_totals
    shown = len(stretch.lanes) if len(stretch.lanes) <= lanes + 1 else lanes
    for lane, total in zip(stretch.lanes[:shown], totals[:shown], strict=True):
        yield f"  {clean(lane.name)}: {lane_words(lane, total, zero)}"
    if shown < len(stretch.lanes):
        yield "  " + folded_words(stretch.lanes[shown:], totals[shown:])


def _in_which_time(run: Run) -> str:
    return ", in virtual time" if run.clock is Clock.VIRTUAL else ""


def _which_part(evidence: Evidence) -> str:
    """Told where the picture is not of the whole run."""
    zero, length = open_ns(evidence.run), extent_ns(evidence.run)
    start, end = evidence.start_ns - zero, evidence.end_ns - zero
    if start <= 0 and end >= length:
        return ""
    return f", from {duration(max(start, 0))} to {duration(end)} of {duration(length)}"
