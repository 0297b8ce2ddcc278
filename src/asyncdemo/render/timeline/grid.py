"""A timeline cut into rows and columns: what every view of a terminal draws.

``accumulator`` makes grids, from a recorded run or from one that is still going. Here are the
shapes and the rules of what a cell shows. Not for: glyphs, colours and widths (``theme``, ``draw``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from typing import NamedTuple

FULL = 8
"""A running cell, and one of a folded row, is filled in eighths."""


class Shade(IntEnum):
    """What a cell can show: a state of a lane, one with its cause, what a connection does, or nothing."""

    RUNNING = 0
    READY = 1
    WAITING = 2
    QUEUED = 3
    BLOCKING = 4
    SQL = 5
    REDIS = 6
    S3 = 7
    POOL = 8
    """Queued for a connection of a pool."""
    ACCEPT = 9
    """Of a request: the server has not accepted it yet."""
    WORKER = 10
    """Of a request: no thread of the server has taken it yet."""
    CLIENT = 11
    """Of a request: its client has not begun to send it."""
    RESPONSE = 12
    """Of a request: it is handled, and the response is under way."""
    OPENING = 13
    """Of a connection, as the last three."""
    IDLE = 14
    HELD = 15
    CLOSED = 16


SHADES = tuple(Shade)

CONNECTION = (Shade.OPENING, Shade.IDLE, Shade.HELD)

STATE_OF = {
    Shade.SQL: Shade.WAITING,
    Shade.REDIS: Shade.WAITING,
    Shade.S3: Shade.WAITING,
    Shade.POOL: Shade.QUEUED,
    Shade.ACCEPT: Shade.QUEUED,
    Shade.WORKER: Shade.QUEUED,
    Shade.CLIENT: Shade.WAITING,
    Shade.RESPONSE: Shade.WAITING,
}
"""The state of those that show its cause as well."""

_NOT_AT_WORK = frozenset(
    {
        Shade.QUEUED,
        Shade.POOL,
        Shade.ACCEPT,
        Shade.WORKER,
        Shade.CLIENT,
        Shade.OPENING,
        Shade.IDLE,
        Shade.CLOSED,
    }
)

AT_WORK = tuple(shade for shade in SHADES if shade not in _NOT_AT_WORK)
"""Of a folded row these are counted: who queues has not begun, and an idle connection serves nobody."""

_CAUSES = {
    (int(state), reason): shade
    for reason, shade in {
        "sql": Shade.SQL,
        "redis": Shade.REDIS,
        "s3": Shade.S3,
        "connection pool": Shade.POOL,
        "accept": Shade.ACCEPT,
        "worker thread": Shade.WORKER,
        "client": Shade.CLIENT,
        "response": Shade.RESPONSE,
    }.items()
    for state in (STATE_OF[shade],)
}
"""(state, reason) -> the shade that shows both."""

Counts = tuple[float, ...]
"""Lanes of each shade but CLOSED, on average over a cell."""

NOBODY: Counts = (0.0,) * (len(SHADES) - 1)


def shade_of(state: int, reason: str) -> Shade:
    """Of a state (its number) with that cause."""
    return _CAUSES.get((state, reason)) or SHADES[state]


class Cell(NamedTuple):
    """shade: what dominates. fill: how much of it, in eighths. counts: how many lanes in each state.

    Of a folded row fill is how many of its lanes are at work, and shade what most of those do.
    """

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
    origin_ns: the time at the left edge. noun: what the rows are.
    """

    columns: int
    column_ns: int
    lanes: int
    rows: tuple[Row, ...]
    totals: tuple[Counts, ...]
    origin_ns: int = 0
    noun: str = "lane"

    @property
    def shades(self) -> frozenset[Shade]:
        """Those that occur, were it for a moment."""
        by_shade = zip(*self.totals, strict=True)
        return frozenset(shade for shade, counts in zip(SHADES, by_shade, strict=False) if any(counts))

    @property
    def folded(self) -> int:
        """How many lanes have no row of their own."""
        return sum(row.size for row in self.rows if row.size > 1)

    @property
    def fold(self) -> int:
        """The most lanes that one row stands for."""
        return max((row.size for row in self.rows), default=1)


_working: Callable[[Counts], tuple[float, ...]] = itemgetter(*AT_WORK)


def at_work(counts: Counts) -> float:
    """How many of those counted are at work."""
    return sum(_working(counts))


def busiest(counts: Counts) -> Shade:
    """What most of those at work do; blocking, if anybody does."""
    if counts[Shade.BLOCKING] > 0:
        return Shade.BLOCKING
    working = _working(counts)
    return AT_WORK[working.index(max(working))]


def density_of(counts: Counts, size: int) -> Cell:
    """What a cell shows of a folded row of ``size`` lanes: how many of them are at work, on average."""
    working = at_work(counts)
    if working <= 0:
        return Cell(Shade.CLOSED, 0, counts)
    return Cell(busiest(counts), _eighths(working, size), counts)


def cell_of(counts: Counts, was_brief: bool) -> Cell:
    """What a cell shows of the average number of lanes in each state, in a row of one lane.

    Blocking always shows, and so does a connection that opens. Running shows however short it is, as a
    part of the cell, and so does a connection that is held. Else the state
    that takes most of the time shows; that nobody was open shows only if nobody was.
    was_brief: the cell before showed a short run. Where every cell would, each second one shows
    what dominates, or a lane that runs in many small steps would seem to do nothing else.
    """
    for urgent in (Shade.BLOCKING, Shade.OPENING):
        if counts[urgent] > 0:
            # Of the time that the lane was open, as for the states that fill their cell.
            return Cell(urgent, _eighths(counts[urgent], sum(counts)), counts)
    busy = Shade.HELD if counts[Shade.HELD] > 0 else Shade.RUNNING
    amount = counts[busy]
    others = counts[Shade.READY : Shade.HELD]
    most = max(others)
    shade = SHADES[Shade.READY + others.index(most)]
    if amount > 0 and (amount >= most or not was_brief):
        return Cell(busy, _eighths(amount, 1), counts)
    if most > 0:
        return Cell(shade, _eighths(most, 1), counts)
    return EMPTY


def _eighths(amount: float, size: float) -> int:
    return min(max(round(amount / size * FULL), 1), FULL)
