"""What a load came to, as data: counts, latencies, and how well the client itself kept up.

Not for: single requests (``events``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from asyncdemo.load.histogram import Histogram

__all__ = ["Result"]

PERCENTS = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0)
_HISTOGRAMS = ("histogram", "connects", "late_ns")


@dataclass(frozen=True, slots=True)
class Result:
    """Figures of one load; every duration counts from a request's intended send.

    requests: begun. answered: with a whole response, of any status; only these are in the histogram.
    """

    requests: int
    answered: int
    statuses: Mapping[int, int]
    """Status -> how many responses had it."""
    errors: Mapping[str, int]
    """Kind -> how many; the kinds of ``events.Answered``."""
    first_errors: Mapping[str, str]
    """Kind -> what the first of them was, in words."""
    wall_s: float
    """From the first intended send to the last response or error."""
    window_s: float
    """In which requests were due: from the first intended send to the last, or all of duration_s."""
    answered_in_window: int
    """Before the window ended."""
    histogram: Histogram
    """Latencies: from the intended send to the last byte of the response."""
    connects: Histogram
    """How long each new connection took."""
    late_ns: Histogram
    """The generator's own lag: by how much each request was sent later than intended."""
    cpu_s: float
    """Of the client, in wall_s."""
    retried: int
    """Sent once more because the server had just closed the kept connection."""
    connections: int
    """Opened in all."""
    open_at_once: int
    """The most requests under way at once."""
    engine: str
    """The event loop and the pacing: "uvloop, timerfd"."""
    interrupted: bool = False
    """Somebody let go of what was under way."""
    notes: tuple[str, ...] = ()
    """What to know before quoting a figure."""
    window_cpu_s: float = 0.0
    """Of the client, in window_s: the rest of wall_s it may spend waiting for the last answers."""
    window_waited_s: float | None = None
    """How long, in window_s, the client could have run and another program had its processor."""

    @property
    def failed(self) -> int:
        """Requests without a whole response."""
        return sum(self.errors.values())

    @property
    def requests_per_s(self) -> float:
        """Answered, of all the time it took."""
        return self.answered / self.wall_s if self.wall_s else 0.0

    def percentiles(self, percents: Iterable[float] = PERCENTS) -> dict[float, int]:
        """Percent -> latency in nanoseconds."""
        return self.histogram.percentiles_ns(percents)

    def to_json(self) -> dict[str, Any]:
        """As what JSON can hold; the histograms as HdrHistogram V2 in base64."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in _HISTOGRAMS:
            values[name] = values[name].encoded
        for name in ("statuses", "errors", "first_errors"):
            values[name] = dict(values[name])
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        given = dict(values)
        for name in _HISTOGRAMS:
            given[name] = Histogram(given[name])
        given["statuses"] = {int(status): count for status, count in given["statuses"].items()}
        given["notes"] = tuple(given["notes"])
        return cls(**given)
