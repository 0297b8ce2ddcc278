"""A timeline as rows and columns, for every view in a terminal.

``accumulator`` makes grids, from a recorded run or from one in progress. Here are the types and the rules for
the content of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from typing import NamedTuple

from asyncdemo.model import State

FULL = 8
"""The fill of a cell that runs, or is in a folded row, is in eighths."""


class Shade(IntEnum):
    """The content of a cell: a lane's state, one with its cause, a connection's state, or nothing."""

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
    """A request that the server has not accepted yet."""
    WORKER = 10
    """A request that no thread of the server has taken yet."""
    CLIENT = 11
    """A request that its client has not begun to send."""
    RESPONSE = 12
    """A request that is handled, and whose response is under way."""
    UNKNOWN = 13
    """Not recorded."""
    OPENING = 14
    """A state of a connection, like HELD and IDLE."""
    IDLE = 15
    HELD = 16
    CLOSED = 17


SHADES = tuple(Shade)


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
"""The state of the shades that also show its cause."""

_NOT_AT_WORK = frozenset(
    {
        Shade.QUEUED,
        Shade.POOL,
        Shade.ACCEPT,
        Shade.WORKER,
        Shade.CLIENT,
        Shade.UNKNOWN,
        Shade.OPENING,
        Shade.IDLE,
        Shade.CLOSED,
    }
)

AT_WORK = tuple(shade for shade in SHADES if shade not in _NOT_AT_WORK)
"""These count in a folded row. Queued lanes have not begun, and an idle connection serves nothing."""

_CAUSES = {
    (int(STATE_OF[shade]), reason): shade
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
} | {(int(State.UNKNOWN), ""): Shade.UNKNOWN}
"""(state, reason) -> the shade that shows both."""

Counts = tuple[float, ...]
"""Lanes of each shade but CLOSED, averaged over a cell."""

NOBODY: Counts = (0.0,) * (len(SHADES) - 1)


def shade_of(state: int, reason: str) -> Shade:
    """Return the shade of a state (its number) with that cause."""
    return _CAUSES.get((state, reason)) or SHADES[state]


class Cell(NamedTuple):
    """A cell. ``shade``: the main one. ``fill``: how much of it, in eighths. ``counts``: lanes in each state.

    In a folded row, ``fill`` is the share of lanes at work, and ``shade`` what most of them do.
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

    ``label`` is the name of a single lane. ``cells`` has one for each column of the grid.
    """

    first: int
    size: int
    label: str
    cells: tuple[Cell, ...]
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """All lanes of one run on a time axis of ``columns`` cells of ``column_ns``.

    ``rows`` are in the order of the lanes, without gaps. ``totals`` has all of them in one row. ``origin_ns``
    is the time at the left edge. ``noun`` names the rows.
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
        """Shades that occur, however briefly."""
        by_shade = zip(*self.totals, strict=True)
        return frozenset(shade for shade, counts in zip(SHADES, by_shade, strict=False) if any(counts))

    @property
    def folded(self) -> int:
        """How many lanes have no row of their own."""
        return sum(row.size for row in self.rows if row.size > 1)

    @property
    def fold(self) -> int:
        """The most lanes in one row."""
        return max((row.size for row in self.rows), default=1)


_working: Callable[[Counts], tuple[float, ...]] = itemgetter(*AT_WORK)


def at_work(counts: Counts) -> float:
    """Return how many of those counted are at work."""
    return sum(_working(counts))


def busiest(counts: Counts) -> Shade:
    """Return what most of those at work are doing; blocking, if any lane is."""
    if counts[Shade.BLOCKING] > 0:
        return Shade.BLOCKING
    working = _working(counts)
    return AT_WORK[working.index(max(working))]


def density_of(counts: Counts, size: int) -> Cell:
    """Return a folded row's cell: how many of its ``size`` lanes are at work, on average."""
    working = at_work(counts)
    if working <= 0:
        return Cell(Shade.CLOSED, 0, counts)
    return Cell(busiest(counts), _eighths(working, size), counts)


def cell_of(counts: Counts, was_brief: bool) -> Cell:
    """Return a single lane's cell, from the average number of lanes in each state.

    Blocking always shows, and so does a connection that opens. Running shows however short it is, as a part
    of the cell, and so does a connection that is held. Otherwise, the state that takes most of the time
    shows. CLOSED shows only if the lane was never open in the cell. ``was_brief`` means that the previous
    cell showed a short run. If every cell would, every other one shows the main state instead. Otherwise, a
    lane with many small steps would seem to do nothing else.
    """
    for urgent in (Shade.BLOCKING, Shade.OPENING):
        if counts[urgent] > 0:
            # As a share of the time that the lane was open, like for states that fill their cell.
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
