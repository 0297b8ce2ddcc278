"""A run for the checks, the sentences that held so far, and what is raised by one that does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from asyncdemo.analysis.metrics.limits import Interval, LaneLimits, lane_limits
from asyncdemo.model import Evidence, Run
from asyncdemo.testing.checks.words import at

_NO_TIME_NS = 100_000
_MARGIN = 4
"""The evidence extends beyond the fault by its length divided by this, on both sides."""


class CheckFailed(AssertionError):
    """A sentence about a run that does not hold: an ``AssertionError``.

    Attributes:
        message (str): What should be and what was seen, in sentences.
        evidence (Evidence | None): The part of the run that shows it; None if there is none (for example, if
            nothing was called).
    """

    def __init__(self, message: str, evidence: Evidence | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.evidence = evidence


class Missed(CheckFailed):
    """The machine was too busy to show what the sentence is about; another run may show it."""


@dataclass(frozen=True)
class Observation:
    """``held`` collects the sentences about the run that held, in order."""

    run: Run
    held: list[str] = field(default_factory=list)

    @cached_property
    def lane_limits(self) -> Sequence[LaneLimits]:
        """The limits of the run as each lane met them."""
        return lane_limits(self.run)

    @property
    def zero_ns(self) -> int:
        return min((lane.start_ns for lane in self.run.lanes), default=0)

    @property
    def end_ns(self) -> int:
        return max((lane.end_ns for lane in self.run.lanes), default=0)

    def evidence(self, lanes: Iterable[int], stretch: Interval | None = None) -> Evidence | None:
        """Return this part of the run, with a margin on both sides for context.

        By default, from the first start to the last end of the lanes. None if there are none, or the whole
        run took almost no time: its picture would show nothing.
        """
        shown = tuple(sorted(set(lanes)))
        if not shown or self.end_ns - self.zero_ns < _NO_TIME_NS:
            return None
        start_ns, end_ns = stretch or (
            min(self.run.lanes[index].start_ns for index in shown),
            max(self.run.lanes[index].end_ns for index in shown),
        )
        margin = max((end_ns - start_ns) // _MARGIN, (self.end_ns - self.zero_ns) // 100, 1)
        start_ns, end_ns = max(start_ns - margin, self.zero_ns), min(end_ns + margin, self.end_ns)
        return Evidence(self.run, shown, start_ns, max(end_ns, start_ns + 1))


class Sentences:
    """The sentences about some calls, pools or requests of a run. Each returns them again, or fails."""

    _observation: Observation

    def _held(self, sentence: str) -> Self:
        self._observation.held.append(sentence)
        return self

    def _at(self, time_ns: int) -> str:
        return at(time_ns, self._observation.zero_ns)


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
    ends, instant, starts = 0, 1, 2  # the order of what happens at the same time
    changes = []
    for start, end in intervals:
        changes += [(start, starts, 1), (end, ends, -1)] if end > start else [(start, instant, 0)]
    begun_ns: int | None = None
    most = now = 0
    for at_ns, kind, change in sorted(changes):
        now += change
        if now > limit:
            begun_ns = at_ns if begun_ns is None else begun_ns
            most = max(most, now)
        elif begun_ns is not None and at_ns > begun_ns:
            return Stretch(begun_ns, at_ns, most)
        elif kind == instant and now + 1 > limit:
            return Stretch(at_ns, at_ns, now + 1)
    return None
