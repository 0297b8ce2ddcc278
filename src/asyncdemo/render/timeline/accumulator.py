"""Adds up the states of lanes as they change, so that a picture of any size can be drawn at any time.

A change costs O(1): a state that begins or ends at ``t`` is one number in the bin of ``t`` (how many more
lanes are in the state from then on) and another for the rest of that bin. Sums over the bins give the exact
total time of the lanes in the state. The numbers of two neighbouring bins add up to those of the pair, so
bins merge in pairs as time passes, and rows as lanes are added: a frame of ten thousand lanes costs no more
than one of a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, repeat
from operator import add

from asyncdemo.render.timeline.grid import EMPTY, SHADES, Cell, Counts, Grid, Row, Shade, cell_of, density_of
from asyncdemo.render.words import folded_label

_STATES = len(SHADES) - 1
"""Shades that are counted: all but CLOSED."""

_BUSY = frozenset({Shade.RUNNING, Shade.HELD})
"""Shown however short it was."""


class _Group:
    """The lanes of one row: for each shade, changes of level, and their rest, by bin."""

    __slots__ = ("changes", "first", "rests", "size")

    def __init__(self, first: int, size: int) -> None:
        self.first = first
        self.size = size
        self.changes: list[list[int] | None] = [None] * _STATES
        self.rests: list[list[int]] = [[]] * _STATES

    def take(self, other: _Group) -> None:
        """Add the counts of the other group."""
        for shade, changes in enumerate(other.changes):
            mine = self.changes[shade]
            if changes is None:
                continue
            if mine is None:
                self.changes[shade], self.rests[shade] = changes, other.rests[shade]
            else:
                self.changes[shade] = list(map(add, mine, changes))
                self.rests[shade] = list(map(add, self.rests[shade], other.rests[shade]))


class Accumulator:
    """States of lanes in bins of time and rows of lanes, both bounded.

    Attributes:
        bins: The most bins (even).
        bin_ns: Their initial width; it doubles when time passes the end.
        rows: The most rows.
        head: How many of them keep one lane each, by default ``head_of(rows)``.
        fold: Lanes in a row past the head; it doubles when there are more lanes than rows.
        counts: How many lanes are in each state now.
        seen: The shades that have occurred.
    """

    def __init__(
        self,
        bins: int = 512,
        bin_ns: int = 50_000,
        rows: int = 64,
        fold: int = 1,
        head: int | None = None,
    ) -> None:
        self.bin_ns = bin_ns
        self.fold = fold
        self.last_ns = 0
        self.opened = 0
        self.counts = [0] * _STATES
        self.seen: set[Shade] = set()
        self._bins = bins
        self._capacity = rows
        self._head = head_of(rows) if head is None else head
        self._groups: list[_Group] = []
        self._shades: dict[int, Shade] = {}
        self._since: dict[int, int] = {}

    @property
    def open(self) -> int:
        return len(self._shades)

    def running_since(self) -> dict[int, int]:
        """Return the lanes that are running now, and since when."""
        return {lane: at for lane, at in self._since.items() if self._shades[lane] is Shade.RUNNING}

    def lane_opened(self, lane: int, at_ns: int, shade: Shade) -> None:
        """Open a lane. Lanes open in the order of their numbers, 0, 1, ..."""
        if lane in self._shades:
            self.lane_changed(lane, at_ns, shade)
            return
        self.opened = max(self.opened, lane + 1)
        self._count(self._group(lane), shade, at_ns, 1)
        self.counts[shade] += 1
        self._shades[lane] = shade
        self._since[lane] = at_ns

    def lane_changed(self, lane: int, at_ns: int, shade: Shade) -> None:
        """Change the state from ``at_ns`` on. Does nothing for a lane that is not open."""
        before = self._shades.get(lane)
        if before is None or before is shade:
            return
        since = self._since[lane]
        at_ns = max(at_ns, since)
        group = self._group(lane)
        at = at_ns // self.bin_ns
        changes, entered = group.changes[before], group.changes[shade]
        if at >= self._bins or changes is None or entered is None:
            self._count(group, before, at_ns, -1)
            self._count(group, shade, at_ns, 1)
        else:
            # The same as two calls of _count, inlined because most events come this way.
            rest = (at + 1) * self.bin_ns - at_ns
            changes[at] -= 1
            entered[at] += 1
            group.rests[before][at] -= rest
            group.rests[shade][at] += rest
            self.last_ns = max(self.last_ns, at_ns)
        self.counts[before] -= 1
        self.counts[shade] += 1
        self._shades[lane] = shade
        self._since[lane] = at_ns

    def lane_closed(self, lane: int, at_ns: int, opened_ns: int = -1) -> None:
        """Close a lane. If it opened at the same time, ``opened_ns``, it is drawn as if it ran for 1 ns."""
        shade = self._shades.pop(lane, None)
        if shade is None:
            return
        at_ns = max(at_ns, self._since.pop(lane))
        group = self._group(lane)
        if at_ns == opened_ns:
            self._count(group, shade, at_ns, -1)
            self._count(group, Shade.RUNNING, at_ns, 1)
            self._count(group, Shade.RUNNING, at_ns + 1, -1)
        else:
            self._count(group, shade, at_ns, -1)
        self.counts[shade] -= 1

    def grid(
        self,
        columns: int,
        rows: int,
        column_ns: int,
        now_ns: int,
        labels: Sequence[str] = (),
        ended: Sequence[str] = (),
        head: int | None = None,
    ) -> Grid:
        """Return the current picture. ``column_ns`` must be a whole number of bins.

        If lanes are folded, ``head`` rows keep one lane each, as far as still possible.
        """
        if column_ns % self.bin_ns:
            raise ValueError(f"columns of {column_ns} ns do not fit bins of {self.bin_ns} ns")
        now_ns = max(now_ns, self.last_ns)
        drawn: list[Row] = []
        totals: list[Counts] | None = None
        for groups in self._rows(rows, head_of(rows) if head is None else head):
            counts = self._amounts(groups, columns, column_ns, now_ns)
            if totals is None:
                totals = counts
            else:
                totals = [tuple(map(add, sums, more)) for sums, more in zip(totals, counts, strict=True)]
            first, size = groups[0].first, sum(group.size for group in groups)
            size = min(size, self.opened - first)
            names, ends = labels[first : first + size], set(ended[first : first + size])
            drawn.append(
                Row(
                    first,
                    size,
                    names[0] if names and size == 1 else folded_label(names, size),
                    cells_of(counts, size),
                    ends.pop() if len(ends) == 1 else "",
                )
            )
        return Grid(columns, column_ns, self.opened, tuple(drawn), tuple(totals or ()))

    def column_ns(self, columns: int, until_ns: int) -> int:
        """Return the width of a column, doubled from bins until ``columns`` of them reach past ``until_ns``.

        This way, the scale of a live picture seldom changes, which makes it easier to follow.
        """
        bins = until_ns // (columns * self.bin_ns) + 1
        return self.bin_ns << (bins - 1).bit_length()

    def widen(self, bin_ns: int) -> None:
        """Merge bins until they are as wide as those of another picture beside this one."""
        while self.bin_ns < bin_ns:
            self._merge_bins()

    def _count(self, group: _Group, shade: Shade, at_ns: int, by: int) -> None:
        at = at_ns // self.bin_ns
        while at >= self._bins:
            self._merge_bins()
            at = at_ns // self.bin_ns
        changes = group.changes[shade]
        if changes is None:
            changes = group.changes[shade] = [0] * self._bins
            group.rests[shade] = [0] * self._bins
            self.seen.add(shade)
        changes[at] += by
        group.rests[shade][at] += by * ((at + 1) * self.bin_ns - at_ns)
        self.last_ns = max(self.last_ns, at_ns)

    def _group(self, lane: int) -> _Group:
        head = self._head
        index = lane if lane < head else head + (lane - head) // self.fold
        while index >= self._capacity:
            self._merge_rows()
            index = head + (lane - head) // self.fold
        groups = self._groups
        while index >= len(groups):
            folded = len(groups) - head
            if folded < 0:
                groups.append(_Group(len(groups), 1))
            else:
                groups.append(_Group(head + folded * self.fold, self.fold))
        return groups[index]

    def _merge_bins(self) -> None:
        width, spare = self.bin_ns, [0] * (self._bins // 2)
        for group in self._groups:
            for shade, changes in enumerate(group.changes):
                if changes is None:
                    continue
                rests = group.rests[shade]
                # A change in the first bin also lasts for all of the second.
                felt = map(int.__mul__, changes[::2], repeat(width))
                group.rests[shade] = [*map(add, map(add, rests[::2], rests[1::2]), felt), *spare]
                group.changes[shade] = [*map(add, changes[::2], changes[1::2]), *spare]
        self.bin_ns = 2 * width

    def _merge_rows(self) -> None:
        tail = self._groups[self._head :]
        merged = self._groups[: self._head]
        self.fold *= 2
        for at in range(0, len(tail), 2):
            pair = _Group(tail[at].first, self.fold)
            for group in tail[at : at + 2]:
                pair.take(group)
            merged.append(pair)
        self._groups = merged

    def _rows(self, rows: int, head: int) -> list[list[_Group]]:
        """Return the groups of each row to draw, if there may be at most ``rows``."""
        groups = self._groups
        if len(groups) <= rows:
            return [[group] for group in groups]
        head = min(head, rows - 1, self._head if self.fold > 1 else rows)
        together = -(-(len(groups) - head) // (rows - head))
        return [
            *([group] for group in groups[:head]),
            *(groups[at : at + together] for at in range(head, len(groups), together)),
        ]

    def _amounts(self, groups: Sequence[_Group], columns: int, column_ns: int, now_ns: int) -> list[Counts]:
        """Return the average number of lanes in each state, for each column up to now."""
        columns = min(columns, now_ns // column_ns + 1)
        bins = column_ns // self.bin_ns
        by_shade: list[Sequence[float]] = []
        nobody = [0.0] * columns
        for shade in range(_STATES):
            sums: list[float] | None = None
            for group in groups:
                changes = group.changes[shade]
                if changes is None:
                    continue
                amounts = self._integrate(changes, group.rests[shade], columns, bins, now_ns)
                sums = amounts if sums is None else list(map(add, sums, amounts))
            by_shade.append(nobody if sums is None else sums)
        return list(zip(*by_shade, strict=True))

    def _integrate(
        self, changes: list[int], rests: list[int], columns: int, bins: int, now_ns: int
    ) -> list[float]:
        until, width = columns * bins, self.bin_ns
        levels = list(accumulate(changes[:until], initial=0))
        lasting = map(int.__mul__, levels, repeat(width))
        areas = list(map(add, lasting, rests[:until]))
        areas += [levels[-1] * width] * (until - len(areas))
        if bins > 1:
            sums = areas[::bins]
            for at in range(1, bins):
                sums = list(map(add, sums, areas[at::bins]))
            areas = sums
        column_ns = bins * width
        # Whatever is open stays so for the rest of the column, but the time after now has not passed yet.
        areas[-1] -= levels[-1] * max(until * width - now_ns, 0)
        return [area / column_ns for area in areas]


class FoldedAccumulator(Accumulator):
    """The rows are given: how many lanes each of them holds."""

    def __init__(self, bins: int, bin_ns: int, sizes: Sequence[int]) -> None:
        super().__init__(bins, bin_ns, len(sizes))
        self._groups = [_Group(end - size, size) for end, size in zip(accumulate(sizes), sizes, strict=True)]
        self._rows_of = [row for row, size in enumerate(sizes) for _ in range(size)]

    def _group(self, lane: int) -> _Group:
        return self._groups[self._rows_of[lane]]


def head_of(rows: int) -> int:
    """Return how many rows keep one lane each when the others are folded: enough for some examples."""
    return min(rows // 3, 8)


def fold_of(lanes: int, rows: int) -> int:
    """Return how many lanes share a row past the head, so that all of them fit."""
    head = head_of(rows)
    return 1 if lanes <= rows else -(-(lanes - head) // (rows - head))


def cells_of(counts: Sequence[Counts], size: int) -> tuple[Cell, ...]:
    """Return a row's cells. ``counts``: its average number of lanes in each state, by column."""
    if size > 1:
        return tuple(density_of(amounts, size) for amounts in counts)
    cells: list[Cell] = []
    was_brief = False
    before: Counts | None = None
    for amounts in counts:
        if amounts is before and not was_brief:
            cells.append(cells[-1])
            continue
        before = amounts
        if any(amounts):
            cell = cell_of(amounts, was_brief)
            was_brief = cell.shade in _BUSY and amounts[cell.shade] < max(amounts)
        else:
            cell, was_brief = EMPTY, False
        cells.append(cell)
    return tuple(cells)
