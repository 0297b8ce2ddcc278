"""The result of a load: counts, latencies, and how well the client itself kept up; and its making."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from asyncdemo.load.histogram import Histogram

_PERCENTS = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0)
_HISTOGRAMS = ("histogram", "connects", "late_ns")
_SECOND_NS = 1_000_000_000
_BUSY = 0.8
"""Share of a CPU: above it, requests wait for the client itself."""


@dataclass(frozen=True, slots=True)
class Result:
    """Figures of one load; every latency counts from a request's intended send.

    Attributes:
        requests: How many were started.
        answered: How many got a whole response, of any status; only these are in the histogram.
        statuses: Status -> how many responses had it.
        errors: Kind -> how many; the kinds are those of ``Answered.error``.
        first_errors: Kind -> a description of the first of them.
        wall_s: From the first intended send to the last response or error.
        window_s: How long requests were due: from the first intended send to the last, or all of
            ``duration_s``.
        answered_in_window: How many were answered before the window ended.
        histogram: Latencies: from the intended send to the last byte of the response.
        connects: How long each new connection took.
        late_ns: The generator's own lag: how much later than intended each request was sent.
        cpu_s: CPU time of the client in ``wall_s``.
        retried: How many were sent once more because the server had just closed the kept connection.
        connections: How many were opened in total.
        open_at_once: The most requests under way at the same time.
        engine: The event loop and the pacing: "uvloop, timerfd".
        interrupted: Whether the load was interrupted and dropped what was under way.
        notes: What to know before quoting a figure.
        window_cpu_s: CPU time of the client in ``window_s``. For the rest of ``wall_s`` it may only wait for
            the last answers.
        window_waited_s: How long in ``window_s`` the client was ready to run while another program had its
            processor; None if the system does not tell.
    """

    requests: int
    answered: int
    statuses: Mapping[int, int]
    errors: Mapping[str, int]
    first_errors: Mapping[str, str]
    wall_s: float
    window_s: float
    answered_in_window: int
    histogram: Histogram
    connects: Histogram
    late_ns: Histogram
    cpu_s: float
    retried: int
    connections: int
    open_at_once: int
    engine: str
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    window_cpu_s: float = 0.0
    window_waited_s: float | None = None

    @property
    def failed(self) -> int:
        """Requests without a whole response."""
        return sum(self.errors.values())

    @property
    def requests_per_s(self) -> float:
        """Answered requests per second of ``wall_s``."""
        return self.answered / self.wall_s if self.wall_s else 0.0

    def percentiles(self) -> dict[float, int]:
        """Return percent -> latency in nanoseconds."""
        return self.histogram.percentiles_ns(_PERCENTS)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible values; the histograms as HdrHistogram V2 in base64."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in _HISTOGRAMS:
            values[name] = values[name].encoded
        for name in ("statuses", "errors", "first_errors"):
            values[name] = dict(values[name])
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Parse values returned by ``to_json``."""
        given = dict(values)
        for name in _HISTOGRAMS:
            given[name] = Histogram(given[name])
        given["statuses"] = {int(status): count for status, count in given["statuses"].items()}
        given["notes"] = tuple(given["notes"])
        return cls(**given)


class Tally:
    """Counts while the load runs, cheaply.

    Durations are kept individually, eight bytes each: that is less work than updating a histogram.
    """

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

    def _notes(self, cpu_s: float, wall_s: float) -> Iterator[str]:
        if wall_s > 1 and cpu_s > _BUSY * wall_s:
            yield (
                f"the load client used {cpu_s / wall_s:.0%} of a CPU: the figures may be its limit, "
                "not the server's"
            )
        if self.held_back:
            yield (
                f"{self.held_back} requests waited in the client, which cannot open more files (raise the "
                "hard limit: ulimit -Hn); their waiting is in the latencies"
            )
