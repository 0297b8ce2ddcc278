"""Figures over time, as they are drawn below the rows: memory, holders and waiters of resources."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from asyncdemo.analysis.metrics.pools import queueing
from asyncdemo.model import Lane, MemorySample, Request, Resource, Run, Slot
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
    """A curve. ``points``: (time on the axis, value), from the last one before the first row opened.

    ``words`` has the first value of all, and the maximum.
    """

    label: str
    points: tuple[tuple[int, int], ...]
    words: str

    @property
    def most(self) -> int:
        return max((value for _, value in self.points), default=0)


def memory_curves(run: Run) -> tuple[Curve, ...]:
    """Return resident and virtual memory; none if it was not sampled while rows were open."""
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
    """Return the maximum in any run by label, where the axes of all of them end."""
    most: dict[str, int] = {}
    for curve in (curve for curves in all_curves for curve in curves):
        most[curve.label] = max(most.get(curve.label, 0), curve.most)
    return most


def levels(intervals: Iterable[Slot | Lane | Request]) -> Iterator[Level]:
    """Yield the number of overlapping intervals, at each change."""
    changes: defaultdict[int, int] = defaultdict(int)
    for interval in intervals:
        changes[interval.start_ns] += 1
        changes[interval.end_ns] -= 1
    level = 0
    for at in sorted(changes):
        if changes[at]:
            level += changes[at]
            yield at, level


def resource_levels(run: Run) -> Iterator[tuple[Resource, dict[str, list[Level]]]]:
    """Yield each resource with the number of its holders and waiters, or its queue length, if any."""
    queued = queueing(run)
    for resource in run.resources:
        series = {
            "held": list(levels(resource.slots)),
            "queued": list(levels(queued[resource.index])),
            "length": list(resource.levels),
        }
        yield resource, {what: changes for what, changes in series.items() if changes}


def column_values(
    points: Sequence[tuple[int, int]], columns: int, column_ns: int, until_ns: int, start_ns: int = 0
) -> Iterator[int]:
    """Yield the maximum in each column. A value holds until the next one; before the first, it is 0.

    The picture begins at ``start_ns``, and ends at ``until_ns``.
    """
    for start in range(start_ns, start_ns + columns * column_ns, column_ns):
        first = max(bisect_right(points, start, key=itemgetter(0)) - 1, 0)
        after = bisect_left(points, start + column_ns, key=itemgetter(0))
        shown = points[first:after] if start < max(until_ns, 1) else ()
        yield max((value for _, value in shown), default=0)
