"""The data of the element ``<async-timeline>``, packed into few bytes for embedding in a page.

Times are differences, in a unit finer than any screen. What a bar is (its shade, why, its line) is an index
into a list of distinct values. ``timeline_reading.js`` describes the plain data, and restores it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import TypeVar

from asyncdemo.model import Outcome
from asyncdemo.render.facts.runs import empty_words
from asyncdemo.render.svg.picture import figures_of
from asyncdemo.render.timeline.chart import Chart
from asyncdemo.render.timeline.curves import Curve
from asyncdemo.render.timeline.layout import Band, ChartRow, scale_ns
from asyncdemo.render.timeline.pools import PoolSection
from asyncdemo.render.words import status

Packed = dict[str, object]

_STEPS = 20_000
"""The minimum number of units in a scale: far more than a screen has pixels."""
_MEMORY = 100_000
"""Memory is rounded to this many bytes."""
_FOLDERS = 2
"""How many parts of a path distinguish files on a page; the others only exist on their machine."""
_EXACT = 10
"""With fewer lanes than this, bands are exact to tenths."""

_What = TypeVar("_What")


def packed(drawn: Sequence[Chart]) -> Packed:
    scale = scale_ns([chart.run for chart in drawn])
    packer = _Packer(unit_ns(scale))
    runs = [packer.run(chart) for chart in drawn]
    return {"unit_ns": packer.unit_ns, "scale_ns": scale, "runs": runs, "kinds": list(packer.kinds)}


def unit_ns(scale_ns: int) -> int:
    """Return a round unit of time: 1, 2 or 5 times a power of ten."""
    largest = max(scale_ns // _STEPS, 1)
    power: int = 10 ** (len(str(largest)) - 1)
    return max(step for step in (power, 2 * power, 5 * power) if step <= largest)


class _Packer:
    """Packs runs. ``kinds`` has every (shade, why, line) so far, and its number."""

    def __init__(self, unit: int) -> None:
        self.unit_ns = unit
        self.kinds: dict[tuple[int, str, int], int] = {}

    def run(self, chart: Chart) -> Packed:
        figures, warning = figures_of(chart.account)
        return {
            "name": chart.name,
            "file": "/".join(PurePath(chart.file).parts[-_FOLDERS:]),
            "noun": chart.noun,
            "length_ns": chart.length_ns,
            "outcome": status(chart.run),
            "figures": figures,
            "warning": warning,
            "empty": "" if chart.rows else empty_words(chart.run),
            "folded": chart.folded,
            "fold": chart.fold,
            "rows": [self._row(row) for row in chart.rows],
            "pools": [self._pool(pool) for pool in chart.pools],
            "memory": [self._curve(curve) for curve in chart.curves],
            "wakes": self._later(sorted(chart.wakes)),
        }

    def _pool(self, pool: PoolSection) -> Packed:
        return {
            "title": pool.title,
            "about": pool.about,
            "folded": pool.folded,
            "fold": pool.fold,
            "rows": [self._row(row) for row in pool.rows],
            "queued": self._later(pool.queued),
        }

    def _curve(self, curve: Curve) -> Packed:
        points = ((at_ns, round(value / _MEMORY) * _MEMORY) for at_ns, value in curve.points)
        return {"label": curve.label, "about": curve.words, "points": self._later(points)}

    def _row(self, row: ChartRow) -> Packed:
        """Pack a row, without common default values."""
        found: Packed = {"label": row.label}
        if row.size > 1:
            found["size"] = row.size
        if row.ended not in ("", Outcome.RETURNED):
            found["ended"] = row.ended
        if row.bars:
            bars = (
                (bar.start_ns, bar.end_ns, self._kind((int(bar.shade), bar.why, bar.line)))
                for bar in row.bars
            )
            found["bars"] = list(self._in_turn(bars, -1))
        if row.bands:
            found["bands"] = list(self._in_turn(_joined(row.bands), []))
        return found

    def _kind(self, what: tuple[int, str, int]) -> int:
        return self.kinds.setdefault(what, len(self.kinds))

    def _in_turn(self, stretches: Iterable[tuple[int, int, _What]], nothing: _What) -> Iterator[int | _What]:
        """Yield durations and what they are, alternating; ``nothing`` stands for a gap."""
        at = 0
        for start_ns, end_ns, what in stretches:
            start, end = self._units(start_ns), self._units(end_ns)
            if start > at:
                yield from (start - at, nothing)
            yield from (end - max(start, at), what)
            at = max(end, at)

    def _later(self, events: Iterable[tuple[int, ...]]) -> list[int]:
        """Return how much later than the one before each is, and what it is, one after another."""
        found: list[int] = []
        last = 0
        for at_ns, *what in events:
            at = self._units(at_ns)
            found += (at - last, *what)
            last = at
        return found

    def _units(self, at_ns: int) -> int:
        return round(at_ns / self.unit_ns)


def _joined(bands: Iterable[Band]) -> list[tuple[int, int, list[float]]]:
    """Merge adjacent bands that are equal. The counts of each end with the last shade that occurs."""
    found: list[tuple[int, int, list[float]]] = []
    for start, end, counts in bands:
        amounts = [_rounded(amount) for amount in counts]
        while amounts and not amounts[-1]:
            amounts.pop()
        if found and found[-1][1:] == (start, amounts):
            start = found.pop()[0]
        found.append((start, end, amounts))
    return found


def _rounded(amount: float) -> float:
    """Round to the precision shown. 0 stays 0, and small amounts don't become 0."""
    value = round(amount) if amount >= _EXACT else max(round(amount, 1), 0.1) if amount > 0 else 0
    return int(value) if value == int(value) else value
