"""What the engine counts while it runs, cheaply; and the `Result` that is made of it afterwards.

Not for: deciding anything (``engine``).
"""

from __future__ import annotations

from array import array
from collections import Counter

from asyncdemo.load.histogram import Histogram
from asyncdemo.load.result import Result

_SECOND_NS = 1_000_000_000
_BUSY = 0.8
"""Of a CPU: above it, requests wait for the client itself."""


class Tally:
    """Durations are kept one by one, eight bytes each: less work than filling a histogram meanwhile."""

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
        """Index: the status; HTTP has three digits."""
        self.errors: Counter[str] = Counter()
        self.first_errors: dict[str, str] = {}
        self.retried = 0
        self.held_back = 0
        """Requests that had to wait because no more files may be opened."""
        self.most_at_once = 0

    @property
    def answered(self) -> int:
        return len(self.latencies)

    def fail(self, kind: str, text: str, at_ns: int) -> None:
        self.errors[kind] += 1
        self.first_errors.setdefault(kind, text)
        self.end_ns = at_ns

    def close_window(self, at_ns: int, cpu_s: float = 0.0, waited_s: float | None = None) -> None:
        """cpu_s, waited_s: of the client, so far."""
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
                f"{self.held_back} requests waited in the client, which may not open more files "
                "(raise the hard limit: ulimit -Hn); their waiting is in the latencies"
            )
        return notes
