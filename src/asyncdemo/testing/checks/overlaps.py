"""Sentences about how many calls there were at the same time.

*At work* is counted as everywhere else (``metrics.peak``): a call that meets a limit is at work while it
holds a slot, any other from its start to its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Self

from asyncdemo.analysis.metrics.limits import Interval, most_at_once
from asyncdemo.testing.checks.endings import Group
from asyncdemo.testing.checks.observation import Stretch, first_stretch_above
from asyncdemo.testing.checks.words import count, too_few_workers, upper, was

__tracebackhide__ = True

_Times = Mapping[int, Sequence[Interval]]
"""Lane -> when it was at work, or open."""


class Overlaps(Group):
    def peak_is(self, limit: int) -> Self:
        """Assert that this many were at work at the same time, and never more."""
        self._never_more(limit, self._at_work)
        self._at_least(limit, self._at_work)
        return self._held(f"{upper(count(limit, self._nouns))} at work at the same time, and never more.")

    def peak_at_most(self, limit: int) -> Self:
        """Assert that no more were ever at work at the same time. Holds without calls: also assert some."""
        self._never_more(limit, self._at_work)
        return self._held(f"Never more than {count(limit, self._nouns)} at work at the same time.")

    def peak_at_least(self, least: int) -> Self:
        """Assert that at least this many were at work at the same time."""
        most = self._at_least(least, self._at_work)
        return self._held(f"{upper(count(most, self._nouns))} at work at the same time.")

    def open_is(self, limit: int) -> Self:
        """Assert that this many had started and not yet ended at the same time, and never more.

        Use it for calls made while holding a slot, which are at work from start to end: ``peak_is`` would
        miss one that continues after its slot was released too early.
        """
        self._never_more(limit, self._open)
        self._at_least(limit, self._open)
        return self._held(f"{upper(count(limit, self._nouns))} at work at the same time, and never more.")

    def open_at_least(self, least: int) -> Self:
        """Assert that this many had started and not yet ended at one moment, at work or in a queue."""
        most = self._at_least(least, self._open, "open")
        return self._held(f"{upper(count(most, self._nouns))} open at the same time.")

    def all_overlap(self) -> Self:
        """Assert that the last start comes before the first end."""
        self._there_are_some()
        started = self._lane(self._indices[-1])
        ended = min(self.lanes, key=lambda lane: lane.end_ns)
        if len(self) > 1 and ended.end_ns <= started.start_ns:
            self._fail(
                f"All {count(len(self), self._nouns)} should be open at one moment. {ended.name} had "
                f"ended, at {self._at(ended.end_ns)}, before {started.name} started, at "
                f"{self._at(started.start_ns)}.",
            )
        return self._held(f"The last of the {self._nouns} started before the first had ended.")

    @cached_property
    def _open(self) -> _Times:
        return {index: [(self._lane(index).start_ns, self._lane(index).end_ns)] for index in self._indices}

    @cached_property
    def _at_work(self) -> _Times:
        lane_limits = self._observation.lane_limits
        return {
            index: lane_limits[index].held if lane_limits[index].met else times
            for index, times in self._open.items()
        }

    def _never_more(self, limit: int, times: _Times) -> None:
        stretch = first_stretch_above(limit, _all(times))
        if stretch is not None:
            self._fail(
                f"At most {count(limit, self._nouns)} may be at work at the same time; {stretch.most} were, "
                f"from {self._at(stretch.start_ns)} to {self._at(stretch.end_ns)}.",
                _during(stretch, times),
                (stretch.start_ns, stretch.end_ns),
            )

    def _at_least(self, least: int, times: _Times, how: str = "at work") -> int:
        """Return the most at the same time."""
        most = most_at_once(_all(times))
        if most < least:
            seen = f"{was(most)} never more than {most}" if most else "was none at all"
            # Of two calls that take turns at a worker, both count for an instant, so ``most`` may be higher.
            full = too_few_workers(self._observation.run.resources, least) if times is self._at_work else ""
            seen = f"{full}, and more calls queued for them" if full else f"there {seen}"
            self._fail(f"{upper(count(least, self._nouns))} should be {how} at the same time; {seen}.")
        return most


def _all(times: _Times) -> Iterator[Interval]:
    return chain.from_iterable(times.values())


def _during(stretch: Stretch, times: _Times) -> list[int]:
    return [
        index
        for index, intervals in times.items()
        if any(
            start == stretch.start_ns or (start < stretch.end_ns and end > stretch.start_ns)
            for start, end in intervals
        )
    ]
