"""When how many intervals shared an instant. Pure arithmetic on (start_ns, end_ns), the end excluded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics.limits import Interval


@dataclass(frozen=True, slots=True)
class Stretch:
    """most: how many there were at the same time in it, at the most."""

    start_ns: int
    end_ns: int
    most: int


def first_stretch_above(limit: int, intervals: Mapping[int, Sequence[Interval]]) -> Stretch | None:
    """The first time with more than ``limit`` at the same time, until there are no more than that again.

    There is one if ``most_at_once`` is more than the limit: one without length may be one too many.
    """
    found = [one for one in (_stretch_above(limit, intervals), _instant_above(limit, intervals)) if one]
    return min(found, key=lambda stretch: stretch.start_ns, default=None)


def _instant_above(limit: int, intervals: Mapping[int, Sequence[Interval]]) -> Stretch | None:
    all_of_them = [interval for of_one in intervals.values() for interval in of_one]
    starts = sorted(start for start, end in all_of_them if end > start)
    ends = sorted(end for start, end in all_of_them if end > start)
    for at_ns in sorted({start for start, end in all_of_them if end <= start}):
        most = bisect_left(starts, at_ns) - bisect_right(ends, at_ns) + 1
        if most > limit:
            return Stretch(at_ns, at_ns, most)
    return None


def _stretch_above(limit: int, intervals: Mapping[int, Sequence[Interval]]) -> Stretch | None:
    start_ns: int | None = None
    most = now = 0
    for at_ns, change in _changes(intervals):
        now += change
        if now > limit:
            start_ns = at_ns if start_ns is None else start_ns
            most = max(most, now)
        elif start_ns is not None and at_ns > start_ns:
            return Stretch(start_ns, at_ns, most)
        elif start_ns is not None:
            start_ns, most = None, 0  # an instant: of two that touch, one ended first
    return None


def _changes(intervals: Mapping[int, Sequence[Interval]]) -> list[tuple[int, int]]:
    """(time, +1 or -1), in order; at the same time ends come before starts."""
    changes = [
        change
        for of_one in intervals.values()
        for start, end in of_one
        if end > start
        for change in ((start, 1), (end, -1))
    ]
    return sorted(changes)
