"""Recorded runs as one picture of a given size: titles, one time scale, rows, legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from asyncdemo.model import Clock, Run, RunOutcome
from asyncdemo.render.facts.runs import empty_words
from asyncdemo.render.terminal.draw import (
    Line,
    beside,
    gutter_width,
    legend_of,
    panel_width,
    text_line,
    timeline_lines,
    title_line,
    title_room,
)
from asyncdemo.render.terminal.theme import DIM, Theme
from asyncdemo.render.timeline.folding import fold
from asyncdemo.render.timeline.grid import Grid
from asyncdemo.render.timeline.layout import column_ns, extent_ns, lay_out_run
from asyncdemo.render.words import duration, fit, status, title

_LEGEND_TAKES = 4
"""The legend gets at most one line in this many."""


def picture_of_runs(
    runs: Sequence[Run],
    theme: Theme,
    width: int,
    height: int,
    figures: Sequence[str] = (),
    unfold: str = "",
) -> list[Line]:
    """Return at most ``height`` lines, none wider than ``width``; rows are folded as needed.

    The runs are side by side if there is room, else below each other, under one axis. ``figures`` replaces
    the time in each title. If rows are folded, the legend says how to ``unfold`` them.
    """
    if not runs:
        return []
    legend: list[Line] = []
    while True:
        lines, grids = _panels(runs, theme, width, height - len(legend), figures)
        needed = legend_of(grids, theme, width, unfold=unfold)
        if len(needed) > 1:
            needed = legend_of(grids, theme, width, brief=True, unfold=unfold)[: height // _LEGEND_TAKES]
        if len(needed) <= len(legend):
            return [*lines, *needed][:height]
        legend = needed


def whole_height(runs: Sequence[Run], width: int) -> int:
    """Return how many lines ``picture_of_runs`` needs to fold nothing, with one for the legend."""
    rows = [max(len(run.rows), 1) for run in runs]
    return 3 + max(rows, default=0) if panel_width(len(runs), width)[1] else 2 + len(rows) + sum(rows)


def run_title(run: Run, length_ns: int, theme: Theme, width: int) -> Line:
    """Return the run's name and time, and how it ended unless normally."""
    return title_line(title(run), _time(run, length_ns), theme, width)


def _time(run: Run, length_ns: int) -> str:
    words = duration(length_ns)
    if run.outcome is not RunOutcome.OK or run.clock is Clock.VIRTUAL:
        words += f", {status(run)}"
    return words


def _headings(
    runs: Sequence[Run], figures: Sequence[str], theme: Theme, width: int, spare: int
) -> Iterator[list[Line]]:
    """Yield the title of each, with a second line for figures too long for one, if they may be spared."""
    for run, words in zip(runs, figures, strict=True):
        first, comma, rest = words, "", ""
        while cell_len(first + comma) > title_room(title(run), width) and ", " in first:
            first, _, last = first.rpartition(", ")
            comma, rest = ",", last + (f", {rest}" if rest else "")
        if rest and spare > 0:
            spare -= 1
            second = text_line(fit(rest, width, theme.ellipsis).rjust(width))
            yield [title_line(title(run), first + comma, theme, width), second]
        else:
            yield [title_line(title(run), words, theme, width)]


def _panels(
    runs: Sequence[Run], theme: Theme, width: int, height: int, figures: Sequence[str]
) -> tuple[list[Line], tuple[Grid, ...]]:
    each, side_by_side = panel_width(len(runs), width)
    # Besides the rows, there are an axis and a title for each.
    if side_by_side:
        folded = [fold([run], height - 2)[0] for run in runs]
    else:
        folded = fold(runs, height - 1 - len(runs) - sum(not run.rows for run in runs))
    names = [row.name for run in runs for row in run.rows]
    marked = any(row.outcome in theme.ends for run in runs for row in run.rows)
    gutter = gutter_width(names, len(names), sum(map(len, folded)), each, marked)
    column = column_ns(runs, each - gutter)
    grids = tuple(
        lay_out_run(run, each - gutter, sizes, column) for run, sizes in zip(runs, folded, strict=True)
    )
    drawn = [max(len(sizes), 1) for sizes in folded]
    spare = height - 1 - len(runs) - sum(drawn)
    if side_by_side:
        spare = len(runs) if height - 2 > max(drawn) else 0
    words = figures or [_time(run, extent_ns(run)) for run in runs]
    headings = list(_headings(runs, words, theme, each, spare))
    high = max(map(len, headings))
    blocks: list[list[Line]] = []
    for run, grid, heading in zip(runs, grids, headings, strict=True):
        axis, *rows = timeline_lines(grid, theme, gutter)
        rows = rows[: len(grid.rows)]  # without the counts of folded ones
        if not grid.rows:
            rows = [text_line(fit(empty_words(run), each, theme.ellipsis), DIM)]
        if side_by_side:
            blocks.append([*heading, *[[]] * (high - len(heading)), axis, *rows])
        else:
            blocks.append([*([] if blocks else [axis]), *heading, *rows])
    if side_by_side:
        return list(beside(blocks, each)), grids
    return [line for block in blocks for line in block], grids
