"""The result of a load, as data: counts, latencies, and how well the client itself kept up.

Not here: single requests (see ``events``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from asyncdemo.load.histogram import Histogram

_PERCENTS = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0)
_HISTOGRAMS = ("histogram", "connects", "late_ns")


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
