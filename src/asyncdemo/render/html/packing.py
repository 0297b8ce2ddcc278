"""Packs the element's data into few bytes, for embedding in a page.

Times are differences, in a unit finer than any screen. What a bar is (its shade, why, its line) is an index
into a list of distinct values. ``timeline_reading.js`` restores the plain data.
Not here: what the data is (see ``element_data``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from asyncdemo.render.html.element_data import CurveData, Data, PoolData, RowData

Packed = dict[str, object]

_STEPS = 20_000
"""The minimum number of units in a scale: far more than a screen has pixels."""
_MEMORY = 100_000
"""Memory is rounded to this many bytes."""

_What = TypeVar("_What")


def packed(data: Data) -> Packed:
    packer = _Packer(unit_ns(data["scale_ns"]))
    runs = [
        {
            **run,
            "rows": [packer.row(row) for row in run["rows"]],
            "pools": [packer.pool(pool) for pool in run["pools"]],
            "memory": [packer.curve(curve) for curve in run["memory"]],
            "wakes": packer.later(run["wakes"]),
        }
        for run in data["runs"]
    ]
    return {"unit_ns": packer.unit_ns, **data, "kinds": list(packer.kinds), "runs": runs}


def unit_ns(scale_ns: int) -> int:
    """Return a round unit of time: 1, 2 or 5 times a power of ten."""
    largest = max(scale_ns // _STEPS, 1)
    power: int = 10 ** (len(str(largest)) - 1)
    return max(step for step in (power, 2 * power, 5 * power) if step <= largest)


class _Packer:
    """Packs rows. ``kinds`` has every (shade, why, line) so far, and its number."""

    def __init__(self, unit: int) -> None:
        self.unit_ns = unit
        self.kinds: dict[tuple[int, str, int], int] = {}

    def row(self, row: RowData) -> Packed:
        """Pack a row, without common default values."""
        found: Packed = {"label": row["label"]}
        if row["size"] > 1:
            found["size"] = row["size"]
        if row["ended"] not in ("", "returned"):
            found["ended"] = row["ended"]
        if row["bars"]:
            bars = (
                (start, end, self._kind((shade, why, line))) for start, end, shade, why, line in row["bars"]
            )
            found["bars"] = list(self._in_turn(bars, -1))
        if row["bands"]:
            found["bands"] = list(self._in_turn(_joined(row["bands"]), []))
        return found

    def pool(self, pool: PoolData) -> Packed:
        rows = [self.row(row) for row in pool["rows"]]
        return {**pool, "rows": rows, "queued": self.later(pool["queued"])}

    def curve(self, curve: CurveData) -> Packed:
        points = ((at_ns, round(value / _MEMORY) * _MEMORY) for at_ns, value in curve["points"])
        return {**curve, "points": self.later(points)}

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

    def later(self, events: Iterable[tuple[int, ...]]) -> list[int]:
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


def _joined(bands: Iterable[tuple[int, int, list[float]]]) -> list[tuple[int, int, list[float]]]:
    """Merge adjacent bands that are equal."""
    found: list[tuple[int, int, list[float]]] = []
    for start, end, amounts in bands:
        if found and found[-1][1:] == (start, amounts):
            start = found.pop()[0]
        found.append((start, end, amounts))
    return found
