"""One run as the checks look at it: its limits as each lane met them, and the sentences that held so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from asyncdemo.analysis.metrics.limits import Meeting, meetings
from asyncdemo.model import Run
from asyncdemo.testing.checks.failure import Evidence

_NO_TIME_NS = 100_000
_MARGIN = 4
"""The stretch that is shown begins and ends this share of its length before and after the fault."""


@dataclass(frozen=True)
class Observation:
    """held: the sentences about the run that held, in order; grows."""

    run: Run
    meetings: Sequence[Meeting]
    held: list[str] = field(default_factory=list)

    @property
    def zero_ns(self) -> int:
        return min((lane.start_ns for lane in self.run.lanes), default=0)

    @property
    def end_ns(self) -> int:
        return max((lane.end_ns for lane in self.run.lanes), default=0)

    def evidence(self, lanes: Iterable[int], start_ns: int, end_ns: int) -> Evidence | None:
        """The stretch with something before and after it, so that one sees where it lies.

        None if the whole run took no time to speak of: there is nothing to be seen in its picture.
        """
        shown = tuple(sorted(set(lanes)))
        if not shown or self.end_ns - self.zero_ns < _NO_TIME_NS:
            return None
        margin = max((end_ns - start_ns) // _MARGIN, (self.end_ns - self.zero_ns) // 100, 1)
        start_ns, end_ns = max(start_ns - margin, self.zero_ns), min(end_ns + margin, self.end_ns)
        return Evidence(self.run, shown, start_ns, max(end_ns, start_ns + 1))


def observe_run(run: Run) -> Observation:
    return Observation(run, meetings(run))
