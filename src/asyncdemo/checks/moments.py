"""When how many intervals shared an instant. Pure arithmetic on (start_ns, end_ns), the end excluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asyncdemo.metrics.limits import Interval

__all__ = ["Stretch", "first_stretch_above"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """most: how many there were at once in it, at the most."""

    start_ns: int
    end_ns: int
    most: int


def first_stretch_above(limit: int, intervals: Mapping[int, Sequence[Interval]]) -> Stretch | None:
    """The first time with more than ``limit`` at once, until there are no more than that again."""
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
