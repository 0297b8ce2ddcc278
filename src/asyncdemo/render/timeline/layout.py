"""Recorded runs on one time axis: the content of each cell of a picture.

The rows are the requests of a run, if it has any, else its lanes. All runs share the scale of the longest, so
that a faster one visibly ends earlier. Times count from the first row's open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from asyncdemo.analysis.metrics import blocking_steps
from asyncdemo.model import NO_WAIT, Lane, Outcome, Request, Run, SlowStep, State, Wait
from asyncdemo.render.timeline.accumulator import Accumulator, FoldedAccumulator, fold_of
from asyncdemo.render.timeline.grid import Counts, Grid, Shade, shade_of

_LEAST_SCALE_NS = 100_000
"""The minimum length of an axis: a shorter run is drawn short."""

Blocked = dict[int, list[SlowStep]]
"""The steps that held the loop, by track, in order of time."""


_Row = TypeVar("_Row", Lane, Request)


class Piece(NamedTuple):
    """One stretch of a row in one shade."""

    start_ns: int
    end_ns: int
    shade: Shade
    wait: Wait
    step: SlowStep | None = None


class Bar(NamedTuple):
    """One state of a row.

    ``why``: what it waits for, what blocks, who holds a connection. ``line``: the line in the run's file
    where the row waits or blocks, or continued from; 0 if unknown.
    """

    start_ns: int
    end_ns: int
    shade: Shade
    why: str = ""
    line: int = 0


class Band(NamedTuple):
    """The average number of lanes of a folded row in each state."""

    start_ns: int
    end_ns: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A lane with its bars, or ``size`` lanes with their bands."""

    label: str
    size: int
    ended: str = ""
    bars: tuple[Bar, ...] = ()
    bands: tuple[Band, ...] = ()


def open_ns(run: Run) -> int:
    """Return when the first row opened: zero on the axis."""
    return min((row.start_ns for row in run.rows), default=0)


def extent_ns(run: Run) -> int:
    """Return the time from the first row's open to the last row's close."""
    return max((row.end_ns for row in run.rows), default=0) - open_ns(run)


def noun(run: Run) -> str:
    """Return what the run's rows are."""
    return "request" if run.requests else "lane"


def blocked_of(run: Run) -> Blocked:
    by_track: Blocked = defaultdict(list)
    for step in blocking_steps(run):
        if step.track is not None:
            by_track[step.track].append(step)
    for steps in by_track.values():
        steps.sort(key=lambda step: step.start_ns)
    return dict(by_track)


def pieces(row: Lane | Request, blocked: Blocked) -> Iterator[Piece]:
    """Yield the spans of a row, with the parts that blocked the loop separated from other running."""
    steps = () if row.track is None else blocked.get(row.track, ())
    starts, states, waits, end_ns = row.spans.columns
    causes = row.spans.causes
    last = len(starts) - 1
    for i, (start, state) in enumerate(zip(starts, states, strict=True)):
        end = end_ns if i == last else starts[i + 1]
        wait = causes[waits[i]] if causes else NO_WAIT
        if state != State.RUNNING or not steps:
            yield Piece(start, end, shade_of(state, wait.reason), wait)
            continue
        first = bisect_right(steps, start, key=lambda step: step.end_ns)
        for step in steps[first:]:
            if step.start_ns >= end:
                break
            if step.start_ns > start:
                yield Piece(start, step.start_ns, Shade.RUNNING, wait)
                start = step.start_ns
            yield Piece(start, min(end, step.end_ns), Shade.BLOCKING, wait, step)
            start = min(end, step.end_ns)
        if start < end:
            yield Piece(start, end, Shade.RUNNING, wait)


def lay_out(runs: Sequence[Run], columns: int, rows: int) -> tuple[Grid, ...]:
    """Return a grid for each run, on one scale; at most ``rows`` rows contain all lanes or requests."""
    column = column_ns(runs, columns)
    return tuple(lay_out_run(run, columns, rows, column) for run in runs)


def lay_out_run(run: Run, columns: int, rows: int | Sequence[int], column: int) -> Grid:
    """Return the grid of one of several runs, with their common ``column`` (see ``column_ns``).

    ``rows`` is the most of them, or how many lanes or requests each holds.
    """
    zero_ns = open_ns(run)
    rows = max(rows, 1) if isinstance(rows, int) else rows
    return _grid(run, max(columns, 1), rows, column, zero_ns, zero_ns + extent_ns(run))


def column_ns(runs: Sequence[Run], columns: int) -> int:
    """Return the width of a column if ``columns`` of them hold the longest run."""
    return -(-scale_ns(runs) // max(columns, 1))


def scale_ns(runs: Iterable[Run]) -> int:
    """Return where the axis of them all ends."""
    return max((_LEAST_SCALE_NS, *map(extent_ns, runs)))


def cut(run: Run, start_ns: int, end_ns: int) -> Run:
    """Return the run with only the part of its rows between two times. Rows that continue become OPEN."""
    return replace(
        run,
        lanes=tuple(_cut(run.lanes, start_ns, end_ns)),
        requests=tuple(_cut(run.requests, start_ns, end_ns)),
    )


def _cut(rows: Iterable[_Row], start_ns: int, end_ns: int) -> Iterator[_Row]:
    for row in rows:
        if row.start_ns <= end_ns and row.end_ns >= start_ns:
            yield replace(
                row,
                start_ns=max(row.start_ns, start_ns),
                end_ns=min(row.end_ns, end_ns),
                outcome=Outcome.OPEN if row.end_ns > end_ns else row.outcome,
                spans=row.spans.clip(start_ns, end_ns),
            )


def lay_out_part(part: Run, start_ns: int, end_ns: int, zero_ns: int, columns: int, rows: int) -> Grid:
    """Return a grid of the result of ``cut``, with the times of the whole run on its axis.

    The first row of the whole run opened at ``zero_ns``.
    """
    columns, rows = max(columns, 1), max(rows, 1)
    column_ns = -(-max(end_ns - start_ns, _LEAST_SCALE_NS) // columns)
    grid = _grid(part, columns, rows, column_ns, start_ns, end_ns)
    return replace(grid, origin_ns=start_ns - zero_ns)


def tick_ns(scale_ns: int, room: int) -> int:
    """Return a round step (1, 2 or 5 of a unit); at most ``room`` of them fit the scale."""
    smallest = max(scale_ns, 1) / max(room, 1)
    unit = 1
    while True:
        for step in (unit, 2 * unit, 5 * unit):
            if step >= smallest:
                return step
        unit *= 10


def _grid(
    run: Run, columns: int, rows: int | Sequence[int], column_ns: int, zero_ns: int, end_ns: int
) -> Grid:
    bins = columns + 2 - columns % 2
    cells: Accumulator
    if isinstance(rows, int):
        cells = Accumulator(bins, column_ns, rows, fold_of(len(run.rows), rows))
    else:
        cells, rows = FoldedAccumulator(bins, column_ns, rows), len(rows)
    blocked, zero = blocked_of(run), zero_ns
    for index, row in enumerate(run.rows):
        opened, closed = row.start_ns - zero, row.end_ns - zero
        if opened == closed:
            # A row without length that opened at the very end belongs to the last cell.
            opened = closed = min(opened, columns * column_ns - 1)
        cells.lane_opened(index, opened, Shade.READY)
        if closed > opened:
            for piece in pieces(row, blocked):
                cells.lane_changed(index, piece.start_ns - zero, piece.shade)
        cells.lane_closed(index, closed, opened)
    grid = cells.grid(
        columns,
        rows,
        column_ns,
        end_ns - zero_ns,
        [row.name for row in run.rows],
        [row.outcome for row in run.rows],
    )
    return replace(grid, noun=noun(run))
