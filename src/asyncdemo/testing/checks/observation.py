"""A run for the checks: its limits as each lane met them, and the sentences that held so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from asyncdemo.analysis.metrics.limits import Meeting, meetings
from asyncdemo.model import Run
from asyncdemo.testing.checks.failure import Evidence

_NO_TIME_NS = 100_000
_MARGIN = 4
"""The evidence extends beyond the fault by its length divided by this, on both sides."""


@dataclass(frozen=True)
class Observation:
    """``held`` collects the sentences about the run that held, in order."""

    run: Run
    held: list[str] = field(default_factory=list)

    @cached_property
    def meetings(self) -> Sequence[Meeting]:
        return meetings(self.run)

    @property
    def zero_ns(self) -> int:
        return min((lane.start_ns for lane in self.run.lanes), default=0)

    @property
    def end_ns(self) -> int:
        return max((lane.end_ns for lane in self.run.lanes), default=0)

    def evidence(self, lanes: Iterable[int], start_ns: int, end_ns: int) -> Evidence | None:
        """Return this part of the run, with a margin on both sides for context.

        None if the whole run took almost no time: its picture would show nothing.
        """
        shown = tuple(sorted(set(lanes)))
        if not shown or self.end_ns - self.zero_ns < _NO_TIME_NS:
            return None
        margin = max((end_ns - start_ns) // _MARGIN, (self.end_ns - self.zero_ns) // 100, 1)
        start_ns, end_ns = max(start_ns - margin, self.zero_ns), min(end_ns + margin, self.end_ns)
        return Evidence(self.run, shown, start_ns, max(end_ns, start_ns + 1))
