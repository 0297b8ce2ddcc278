"""A timeline cut into rows and columns: what every view of a terminal draws.

``accumulator`` makes grids, from a recorded run or from one that is still going. Here are the
shapes and the two rules of what a cell shows. Not for: glyphs, colours and widths (``theme``, ``draw``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

__all__ = ["FULL", "SHADES", "Cell", "Counts", "Grid", "Row", "Shade", "cell_of"]

FULL = 8
"""A running cell is filled in eighths."""


class Shade(IntEnum):
    """What a cell can show: the states of a lane, whether one blocks, or nothing open."""

    RUNNING = 0
    READY = 1
    WAITING = 2
    QUEUED = 3
    BLOCKING = 4
    CLOSED = 5


SHADES = tuple(Shade)

Counts = tuple[float, float, float, float, float]
"""Lanes in each state, RUNNING to BLOCKING, on average over a cell."""

NOBODY: Counts = (0.0, 0.0, 0.0, 0.0, 0.0)


class Cell(NamedTuple):
    """shade: what dominates. fill: how much of it, in eighths. counts: how many lanes in each state."""

    shade: Shade
    fill: int = FULL
    counts: Counts = NOBODY

    @property
    def open(self) -> float:
        return sum(self.counts)


EMPTY = Cell(Shade.CLOSED, 0)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the picture: the lanes ``first`` to ``first + size - 1``.

    label: the lane's name, if it is one. cells: as many as the grid has columns.
    """

    first: int
    size: int
    label: str
    cells: tuple[Cell, ...]
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """All lanes of one run on a time axis of ``columns`` cells of ``column_ns``.

    rows: in the order of the lanes; none is left out. totals: all of them in one row.
    origin_ns: the time at the left edge.
    """

    columns: int
    column_ns: int
    lanes: int
    rows: tuple[Row, ...]
    totals: tuple[Counts, ...]
    origin_ns: int = 0

    @property
    def folded(self) -> int:
        """How many lanes have no row of their own."""
        return sum(row.size for row in self.rows if row.size > 1)

    @property
    def fold(self) -> int:
        """The most lanes that one row stands for."""
        return max((row.size for row in self.rows), default=1)


def cell_of(counts: Counts, size: int, was_brief: bool) -> Cell:
    """What a cell shows of the average number of lanes in each state, in a row of ``size`` lanes.

    Blocking always shows. Running shows however short it is, as a part of the cell. Else the state
    that takes most of the time shows; that nobody was open shows only if nobody was.
    was_brief: the cell before showed a short run. Where every cell would, each second one shows
    what dominates, or a lane that runs in many small steps would seem to do nothing else.
    """
    running, ready, waiting, queued, blocking = counts
    if blocking > 0:
        # Of the time that the lane was open, as for the states that fill their cell.
        return Cell(Shade.BLOCKING, _eighths(blocking, size if size > 1 else sum(counts)), counts)
    shade, most = Shade.READY, ready
    if waiting > most:
        shade, most = Shade.WAITING, waiting
    if queued > most:
        shade, most = Shade.QUEUED, queued
    if running > 0 and (running >= most or not was_brief):
        if size > 1 and running < most:
            # In a folded row somebody always runs a little: what the many do is the news.
            return Cell(shade, _eighths(most, size), counts)
        return Cell(Shade.RUNNING, _eighths(running, size), counts)
    if most > 0:
        return Cell(shade, _eighths(most, size), counts)
    return EMPTY


def _eighths(amount: float, size: float) -> int:
    return min(max(round(amount / size * FULL), 1), FULL)
