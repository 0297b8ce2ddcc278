"""Single rows of a recorded run in a window of time, however large the run is.

A column costs the logarithm of the spans of its row, so a window of a million spans is drawn as fast as one
of a hundred.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from operator import mul, sub

from asyncdemo.model import Lane, Request, Run, SlowStep
from asyncdemo.render.timeline.accumulator import cells_of
from asyncdemo.render.timeline.grid import EMPTY, SHADES, Cell, Counts, Grid, Row, Shade, shade_of
from asyncdemo.render.timeline.layout import blocked_of, extent_ns, noun, open_ns

_KEPT_ROWS = 512
_NEVER = 1 << 63

_ALL_OF_IT = {shade: tuple(float(shade is each) for each in SHADES[:-1]) for shade in SHADES}


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, counted from the first row's open, in columns."""

    start_ns: int
    column_ns: int
    columns: int

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.columns * self.column_ns


class RowWindows:
    """The rows of one run, cut into cells one by one, when needed.

    ``zero_ns`` is when the first row opened, ``length_ns`` the time until the last one closed. ``blocked``
    has the steps that held the loop, by track.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.zero_ns = open_ns(run)
        self.length_ns = extent_ns(run)
        self.blocked = blocked_of(run)
        self._row = lru_cache(_KEPT_ROWS)(self._sums_of)
        self._cells = lru_cache(_KEPT_ROWS)(self._cut)

    def grid(self, first: int, last: int, window: Window, until_ns: int | None = None) -> Grid:
        """Return the rows from ``first`` to before ``last``, without what came after ``until_ns``."""
        rows = []
        for index in range(first, min(last, len(self.run.rows))):
            row = self.run.rows[index]
            cells = self._cells(index, window)
            if until_ns is not None:
                shown = max(-(-(until_ns - window.start_ns) // window.column_ns), 0)
                cells = (*cells[:shown], *[EMPTY] * (window.columns - shown))
            ended = "" if until_ns is not None and row.end_ns - self.zero_ns > until_ns else row.outcome
            rows.append(Row(index, 1, row.name, cells, ended))
        shades = {cell.shade for row in rows for cell in row.cells}
        # The legend only needs to know which states occur.
        totals = tuple(_ALL_OF_IT[shade] for shade in shades)
        return Grid(
            window.columns,
            window.column_ns,
            len(self.run.rows),
            tuple(rows),
            totals,
            window.start_ns,
            noun(self.run),
        )

    def _cut(self, index: int, window: Window) -> tuple[Cell, ...]:
        row, start, width = self._row(index), window.start_ns + self.zero_ns, window.column_ns
        counts: list[Counts] = []
        before, at = start, row.place(start)
        for until in range(start + width, start + width * window.columns + 1, width):
            if until < row.begins(at + 1):  # one span covers the whole column
                counts.append(_ALL_OF_IT[row.shade(at)])
            else:
                then = row.place(until)
                counts.append(row.amounts(before, at, until, then))
                at = then
            before = until
        return cells_of(self._with_blocking(index, counts, start, width), 1)

    def _with_blocking(self, index: int, counts: list[Counts], start: int, width: int) -> list[Counts]:
        """Count running that held the loop too long as blocking."""
        track = self.run.rows[index].track
        steps: Sequence[SlowStep] = () if track is None else self.blocked.get(track, ())
        end = start + width * len(counts)
        for step in steps[bisect_right(steps, start, key=lambda step: step.end_ns) :]:
            if step.start_ns >= end:
                break
            first, last = max(step.start_ns - start, 0) // width, min(step.end_ns - 1, end - 1) - start
            for column in range(first, last // width + 1):
                left = start + column * width
                part = (min(step.end_ns, left + width) - max(step.start_ns, left)) / width
                amounts = list(counts[column])
                part = min(part, amounts[Shade.RUNNING])
                amounts[Shade.RUNNING] -= part
                amounts[Shade.BLOCKING] += part
                counts[column] = tuple(amounts)
        return counts

    def _sums_of(self, index: int) -> _RowSums:
        return _RowSums(self.run.rows[index])


class _RowSums:
    """How long a row has been in each state at any time.

    A place is the index of a span, -1 before the row opened, the number of spans after it has closed.
    """

    __slots__ = ("_bounds", "_shades", "_sums")

    def __init__(self, row: Lane | Request) -> None:
        starts, states, waits, end_ns = row.spans.columns
        causes = row.spans.causes
        shade = {
            (state, wait): shade_of(state, causes[wait].reason if causes else "")
            for state, wait in set(zip(states, waits, strict=True))
        }
        self._shades = bytes(map(shade.__getitem__, zip(states, waits, strict=True)))
        self._bounds = array("q", chain(starts, (end_ns,)))
        if not starts or end_ns == starts[0]:
            # A row without length is drawn as if it ran for a moment.
            self._shades = bytes([Shade.RUNNING])
            self._bounds = array("q", (row.start_ns, row.start_ns + 1))
        lengths = list(map(sub, self._bounds[1:], self._bounds))
        self._sums: dict[int, array[int]] = {}
        for each in set(self._shades):
            mask = self._shades.translate(bytes(code == each for code in range(256)))
            self._sums[each] = array("q", accumulate(map(mul, lengths, mask), initial=0))

    def place(self, at_ns: int) -> int:
        return bisect_right(self._bounds, at_ns) - 1

    def begins(self, place: int) -> int:
        return self._bounds[place] if place < len(self._bounds) else _NEVER

    def shade(self, place: int) -> Shade:
        return SHADES[self._shades[place]] if 0 <= place < len(self._shades) else Shade.CLOSED

    def amounts(self, from_ns: int, first: int, to_ns: int, last: int) -> Counts:
        """Return the share of each state between two times; ``first`` and ``last`` are their places."""
        amounts = [0.0] * (len(SHADES) - 1)
        for shade in self._sums:
            length = self._until(to_ns, last, shade) - self._until(from_ns, first, shade)
            amounts[shade] = length / (to_ns - from_ns)
        return tuple(amounts)

    def _until(self, at_ns: int, place: int, shade: int) -> int:
        if place < 0:
            return 0
        here = at_ns - self._bounds[place] if self.shade(place) == shade else 0
        return self._sums[shade][min(place, len(self._shades))] + here
