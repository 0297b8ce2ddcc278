"""Recorded runs on one time axis: which cell of a picture shows what.

All runs share one scale, that of the longest, so that the faster one visibly ends early. The time
of each is counted from its first lane's open. Not for: glyphs, colours (``theme``), words (``facts``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from asyncdemo.model import NO_WAIT, Lane, Outcome, Run, SlowStep, State, Wait
from asyncdemo.render.accumulator import Accumulator, head_of
from asyncdemo.render.grid import Grid, Shade

__all__ = [
    "Blocked",
    "Piece",
    "blocked_of",
    "blocking_steps",
    "cut",
    "extent_ns",
    "lay_out",
    "lay_out_part",
    "open_ns",
    "pieces",
    "tick_ns",
]

Blocked = dict[int, list[SlowStep]]
"""The steps that held the loop, by track, in order of time."""


class Piece(NamedTuple):
    """One stretch of a lane in one shade."""

    start_ns: int
    end_ns: int
    shade: Shade
    wait: Wait
    step: SlowStep | None = None


def open_ns(run: Run) -> int:
    """When the first lane opened: zero on the axis."""
    return min((lane.start_ns for lane in run.lanes), default=0)


def extent_ns(run: Run) -> int:
    """From the first lane's open to the last lane's close."""
    return max((lane.end_ns for lane in run.lanes), default=0) - open_ns(run)


def blocking_steps(run: Run) -> tuple[SlowStep, ...]:
    """The steps of tasks that held a loop too long by their own doing: what ``blocked`` sums up."""
    return tuple(
        step for step in run.slow_steps if step.track is not None and step.held_ns >= run.threshold_ns
    )


def blocked_of(run: Run) -> Blocked:
    by_track: Blocked = defaultdict(list)
    for step in blocking_steps(run):
        if step.track is not None:
            by_track[step.track].append(step)
    for steps in by_track.values():
        steps.sort(key=lambda step: step.start_ns)
    return dict(by_track)


def pieces(lane: Lane, blocked: Blocked) -> Iterator[Piece]:
    """The spans of a lane, with what blocked the loop told apart from other running."""
    steps = blocked.get(lane.track, ())
    starts, states, waits, end_ns = lane.spans.columns
    causes = lane.spans.causes
    last = len(starts) - 1
    for i, (start, state) in enumerate(zip(starts, states, strict=True)):
        end = end_ns if i == last else starts[i + 1]
        wait = causes[waits[i]] if causes else NO_WAIT
        if state != State.RUNNING or not steps:
            yield Piece(start, end, Shade(state), wait)
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
    """A grid for each run, all of one scale; at most ``rows`` rows, every lane in one of them."""
    columns, rows = max(columns, 1), max(rows, 1)
    column_ns = max(-(-max(map(extent_ns, runs), default=0) // columns), 1)
    return tuple(
        _grid(run, columns, rows, column_ns, open_ns(run), open_ns(run) + extent_ns(run)) for run in runs
    )


def cut(run: Run, lanes: Sequence[int], start_ns: int, end_ns: int) -> Run:
    """The run with only these lanes, and of them only the part between two times: who goes on is open."""
    kept = []
    for lane in (run.lanes[index] for index in lanes):
        spans = lane.spans.clip(start_ns, end_ns)
        if lane.start_ns <= end_ns and lane.end_ns >= start_ns:
            kept.append(
                replace(
                    lane,
                    start_ns=max(lane.start_ns, start_ns),
                    end_ns=min(lane.end_ns, end_ns),
                    outcome=Outcome.OPEN if lane.end_ns > end_ns else lane.outcome,
                    spans=spans,
                )
            )
    return replace(run, lanes=tuple(kept))


def lay_out_part(run: Run, lanes: Sequence[int], start_ns: int, end_ns: int, columns: int, rows: int) -> Grid:
    """A grid of some lanes of a run between two times, with the times of the whole run on its axis."""
    columns, rows = max(columns, 1), max(rows, 1)
    column_ns = max(-(-(end_ns - start_ns) // columns), 1)
    grid = _grid(cut(run, lanes, start_ns, end_ns), columns, rows, column_ns, start_ns, end_ns)
    return replace(grid, origin_ns=start_ns - open_ns(run))


def tick_ns(scale_ns: int, room: int) -> int:
    """A round step (1, 2 or 5 of a unit), so that at most ``room`` of them fit the scale."""
    smallest = max(scale_ns, 1) / max(room, 1)
    unit = 1
    while True:
        for step in (unit, 2 * unit, 5 * unit):
            if step >= smallest:
                return step
        unit *= 10


def _grid(run: Run, columns: int, rows: int, column_ns: int, zero_ns: int, end_ns: int) -> Grid:
    head, lanes = head_of(rows), len(run.lanes)
    fold = 1 if lanes <= rows else -(-(lanes - head) // (rows - head))
    cells = Accumulator(columns + 2 - columns % 2, column_ns, rows, fold)
    blocked, zero = blocked_of(run), zero_ns
    for index, lane in enumerate(run.lanes):
        opened, closed = lane.start_ns - zero, lane.end_ns - zero
        if opened == closed:
            # One without length that opened at the very end belongs to the last cell.
            opened = closed = min(opened, columns * column_ns - 1)
        cells.lane_opened(index, opened, Shade.READY)
        if closed > opened:
            for piece in pieces(lane, blocked):
                cells.lane_changed(index, piece.start_ns - zero, piece.shade)
        cells.lane_closed(index, closed, opened)
    return cells.grid(
        columns,
        rows,
        column_ns,
        end_ns - zero_ns,
        [lane.name for lane in run.lanes],
        [lane.outcome for lane in run.lanes],
    )
