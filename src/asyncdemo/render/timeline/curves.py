"""Figures over time, as they are drawn below the rows: memory, who holds and queues for a resource.

Not for: glyphs and lines (``sections``, ``svg``), figures of a whole run (``metrics``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics.pools import queueing
from asyncdemo.model import MemorySample, Resource, Run
from asyncdemo.render.timeline.layout import extent_ns, open_ns
from asyncdemo.render.words import size

Level = tuple[int, int]
"""(since when, how much)."""

_FIGURES: dict[str, Callable[[MemorySample], int]] = {
    "resident": lambda sample: sample.resident_bytes,
    "virtual": lambda sample: sample.virtual_bytes,
}


@dataclass(frozen=True, slots=True)
class Curve:
    """points: (time on the axis, value), in order of time, from the last one before the first row opened on.

    words: the first value of all, and the greatest.
    """

    label: str
    points: tuple[tuple[int, int], ...]
    words: str

    @property
    def most(self) -> int:
        return max((value for _, value in self.points), default=0)


def memory_curves(run: Run) -> tuple[Curve, ...]:
    """Resident and virtual memory; none if it was not sampled while rows were open."""
    zero, extent = open_ns(run), extent_ns(run)
    before = [sample for sample in run.memory if sample.at_ns <= zero]
    shown = [*before[-1:], *(sample for sample in run.memory if zero < sample.at_ns <= zero + extent)]
    if not shown or not run.rows:
        return ()
    curves = []
    for label, figure in _FIGURES.items():
        values = [figure(sample) for sample in run.memory]
        words = f"{size(values[0])} at first, {size(max(values))} at most"
        points = tuple((max(sample.at_ns - zero, 0), figure(sample)) for sample in shown)
        curves.append(Curve(label, points, words))
    return tuple(curves)


def most_of(all_curves: Sequence[Sequence[Curve]]) -> dict[str, int]:
    """By label the greatest value of any run: what the axes of all of them end at."""
    most: dict[str, int] = {}
    for curve in (curve for curves in all_curves for curve in curves):
        most[curve.label] = max(most.get(curve.label, 0), curve.most)
    return most


def levels(intervals: Iterable[tuple[int, int]]) -> Iterator[Level]:
    """How many of the intervals (start, end) there are at the same time, whenever that changes."""
    changes: defaultdict[int, int] = defaultdict(int)
    for start, end in intervals:
        changes[start] += 1
        changes[end] -= 1
    level = 0
    for at in sorted(changes):
        if changes[at]:
            level += changes[at]
            yield at, level


def open_rows(run: Run) -> list[Level]:
    """How many rows are open, on the clock of the run."""
    return list(levels((row.start_ns, row.end_ns) for row in run.rows))


def resource_levels(run: Run) -> Iterator[tuple[Resource, dict[str, list[Level]]]]:
    """Of each resource how many hold it and queue for it, or how long the queue is, where there is any."""
    queued: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for one in queueing(run):
        queued[one.resource].append((one.start_ns, one.end_ns))
    for resource in run.resources:
        series = {
            "held": list(levels((slot.start_ns, slot.end_ns) for slot in resource.slots)),
            "queued": list(levels(queued[resource.index])),
            "length": list(resource.levels),
        }
        yield resource, {what: changes for what, changes in series.items() if changes}


def column_values(
    points: Sequence[tuple[int, int]], columns: int, column_ns: int, until_ns: int
) -> list[int | None]:
    """The greatest value in each column; a value holds until the next one. None where none is known.

    until_ns: where the picture ends.
    """
    times = [at for at, _ in points]
    values: list[int | None] = []
    for column in range(columns):
        start, end = column * column_ns, (column + 1) * column_ns
        first, after = bisect_right(times, start) - 1, bisect_right(times, end - 1)
        if start >= max(until_ns, 1) or after == 0:
            values.append(None)
        else:
            values.append(max(value for _, value in points[max(first, 0) : after]))
    return values
