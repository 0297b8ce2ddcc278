"""Sentences about the order of calls, and about their times.

Use times with virtual time, or far above what any machine needs: a verdict must not depend on speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from asyncdemo.model import Lane, Outcome, lineage
from asyncdemo.testing.checks.endings import Group
from asyncdemo.testing.checks.words import length

__tracebackhide__ = True


class Order(Group):
    def end_before(self, other: Group) -> Self:
        """Assert that the last of these ends before the first of the others starts."""
        self._there_are_some()
        other._there_are_some()
        last = max(self._indices, key=lambda index: self._lane(index).end_ns)
        late, early = self._lane(last), self._lane(other.indices[0])
        if late.end_ns > early.start_ns:
            self._fail(
                f"{late.name} should end before {early.name} starts; it ended at "
                f"{self._at(late.end_ns)}, {early.name} started at {self._at(early.start_ns)}.",
                [last, other.indices[0]],
            )
        return self._held(f"The {self._nouns} ended before any of {other.function} started.")

    def end_within(self, scope: Group) -> Self:
        """Assert that nothing outlives its scope: each call ends before the ``scope`` call it started in."""
        self._there_are_some()
        for index, lane in zip(self._indices, self.lanes, strict=True):
            around = [
                other
                for other in scope.indices
                if self._lane(other).start_ns <= lane.start_ns <= self._lane(other).end_ns and other != index
            ]
            if not around:
                self._fail(
                    f"{lane.name} should run within a call of {scope.function}; it started at "
                    f"{self._at(lane.start_ns)}, when none was open.",
                    [index, *scope.indices],
                )
            nearest = self._nearest(around, lane)
            outer = self._lane(nearest)
            if lane.end_ns > outer.end_ns or lane.outcome is Outcome.OPEN:
                how = "never ended" if lane.outcome is Outcome.OPEN else f"ended at {self._at(lane.end_ns)}"
                self._fail(
                    f"No call of {self.function} may outlive {outer.name}. {outer.name} ended at "
                    f"{self._at(outer.end_ns)}; {lane.name}, which had started within it, {how}.",
                    [index, nearest],
                )
        return self._held(f"No call of {self.function} outlived the call of {scope.function} it started in.")

    def take_at_most(self, seconds: float) -> Self:
        """Assert that no single call took longer. Also holds if there are no calls."""
        limit_ns = round(seconds * 1e9)
        for index, lane in zip(self._indices, self.lanes, strict=True):
            taken_ns = lane.end_ns - lane.start_ns
            if taken_ns > limit_ns:
                message = f"{lane.name} may take {length(limit_ns)} at most; it took {length(taken_ns)}."
                self._fail(message, [index])
        return self._held(f"None of the {self._nouns} took longer than {length(limit_ns)}.")

    def take_at_least(self, seconds: float) -> Self:
        """Assert that each single call took this long: none was cut short or skipped its work."""
        self._there_are_some()
        least_ns = round(seconds * 1e9)
        for index, lane in zip(self._indices, self.lanes, strict=True):
            taken_ns = lane.end_ns - lane.start_ns
            if taken_ns < least_ns:
                message = f"{lane.name} should take at least {length(least_ns)}; it took {length(taken_ns)}."
                self._fail(message, [index])
        return self._held(f"Each of the {self._nouns} took at least {length(least_ns)}.")

    def _nearest(self, around: Sequence[int], lane: Lane) -> int:
        """Return an open call of the lane's own task, or else of the task that created it."""
        for track in lineage(self._observation.run.tracks, lane.track):
            of_this = [index for index in around if self._lane(index).track == track.index]
            if of_this:
                return of_this[-1]
        return around[-1]
