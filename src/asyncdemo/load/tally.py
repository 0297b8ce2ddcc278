"""Cheap counters for the running engine, and the `Result` made from them afterwards.

Not here: decisions (see ``engine``).
"""

from __future__ import annotations

from array import array
from collections import Counter

from asyncdemo.load.histogram import Histogram
from asyncdemo.load.result import Result

_SECOND_NS = 1_000_000_000
_BUSY = 0.8
"""Share of a CPU: above it, requests wait for the client itself."""


class Tally:
    """Keeps durations individually, eight bytes each: that is less work than updating a histogram."""

    def __init__(self) -> None:
        self.start_ns = 0
        self.end_ns = 0
        self.window_ns = 0
        self.window_cpu_s = 0.0
        self.window_waited_s: float | None = None
        self.begun = 0
        self.answered_in_window = 0
        self.latencies = array("q")
        self.connects = array("q")
        self.late = array("q")
        self.statuses = [0] * 1000
        """Indexed by status; HTTP's have three digits."""
        self.errors: Counter[str] = Counter()
        self.first_errors: dict[str, str] = {}
        self.retried = 0
        self.held_back = 0
        """Requests that had to wait because no more files could be opened."""
        self.most_at_once = 0

    @property
    def answered(self) -> int:
        return len(self.latencies)

    def fail(self, kind: str, text: str, at_ns: int) -> None:
        self.errors[kind] += 1
        self.first_errors.setdefault(kind, text)
        self.end_ns = at_ns

    def close_window(self, at_ns: int, cpu_s: float = 0.0, waited_s: float | None = None) -> None:
        """``cpu_s`` and ``waited_s`` are the client's so far."""
        self.window_cpu_s, self.window_waited_s = cpu_s, waited_s
        self.window_ns = at_ns - self.start_ns
        self.answered_in_window = self.answered

    def result(self, connections: int, cpu_s: float, engine: str, interrupted: bool) -> Result:
        wall_s = max(0, self.end_ns - self.start_ns) / _SECOND_NS
        return Result(
            requests=self.begun,
            answered=self.answered,
            statuses={status: count for status, count in enumerate(self.statuses) if count},
            errors=dict(self.errors),
            first_errors=self.first_errors,
            wall_s=wall_s,
            window_s=self.window_ns / _SECOND_NS,
            answered_in_window=self.answered_in_window,
            histogram=Histogram.of(self.latencies),
            connects=Histogram.of(self.connects),
            late_ns=Histogram.of(self.late),
            cpu_s=cpu_s,
            retried=self.retried,
            connections=connections,
            open_at_once=self.most_at_once,
            engine=engine,
            interrupted=interrupted,
            notes=tuple(self._notes(cpu_s, wall_s)),
            window_cpu_s=self.window_cpu_s,
            window_waited_s=self.window_waited_s,
        )

    def _notes(self, cpu_s: float, wall_s: float) -> list[str]:
        notes = []
        if wall_s > 1 and cpu_s > _BUSY * wall_s:
            notes.append(
                f"the load client used {cpu_s / wall_s:.0%} of a CPU: the figures may be its limit, "
                "not the server's"
            )
        if self.held_back:
            notes.append(
                f"{self.held_back} requests waited in the client, which cannot open more files (raise the "
                "hard limit: ulimit -Hn); their waiting is in the latencies"
            )
        return notes
