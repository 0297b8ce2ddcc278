"""How many intervals overlap, and when. Pure arithmetic on (start_ns, end_ns), the end excluded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics.limits import Interval


@dataclass(frozen=True, slots=True)
class Stretch:
    """``most`` is the maximum number of intervals at the same time in it."""

    start_ns: int
    end_ns: int
    most: int


def first_stretch_above(limit: int, intervals: Iterable[Interval]) -> Stretch | None:
    """Return the first period with more than ``limit`` at the same time.

    There is one if ``most_at_once`` exceeds the limit: even an interval without length may be one too many.
    """
    known = list(intervals)
    found = [one for one in (_stretch_above(limit, known), _instant_above(limit, known)) if one]
    return min(found, key=lambda stretch: stretch.start_ns, default=None)


def _instant_above(limit: int, intervals: Sequence[Interval]) -> Stretch | None:
    starts = sorted(start for start, end in intervals if end > start)
    ends = sorted(end for start, end in intervals if end > start)
    for at_ns in sorted({start for start, end in intervals if end <= start}):
        most = bisect_left(starts, at_ns) - bisect_right(ends, at_ns) + 1
        if most > limit:
            return Stretch(at_ns, at_ns, most)
    return None


def _stretch_above(limit: int, intervals: Sequence[Interval]) -> Stretch | None:
    start_ns: int | None = None
    most = now = 0
    lasting = [(start, end) for start, end in intervals if end > start]
    changes = [(start, 1) for start, _ in lasting] + [(end, -1) for _, end in lasting]
    for at_ns, change in sorted(changes):  # at the same time, ends come before starts
        now += change
        if now > limit:
            start_ns = at_ns if start_ns is None else start_ns
            most = max(most, now)
        elif start_ns is not None and at_ns > start_ns:
            return Stretch(start_ns, at_ns, most)
        elif start_ns is not None:
            start_ns, most = None, 0  # only an instant: one ended as the other started
    return None
