"""How a server answered its load client: counts and latencies of a run's requests, and the time they took.

Only that time counts for a server: what it does before the first request and after the last response, when it
opens and closes what it needs, keeps nobody waiting. Any other run counts from beginning to end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from asyncdemo.model import Request, Run

_FIRST_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class RequestUse:
    """The requests of a run, or those to one path.

    Latencies are those of answered requests, from the intended send to the end of the response;
    percentiles are by nearest rank.

    Attributes:
        count: How many were sent.
        answered: How many got a complete response, whatever its status.
        failed: How many got none, or one with a status of 500 or above.
        statuses: Status -> how often.
        errors: Why there was no response -> how often.
        p50_ns: Half of the latencies were no longer than this.
        p90_ns: 90% of the latencies were no longer than this.
        p99_ns: 99% of the latencies were no longer than this.
        slowest_ns: The longest latency.
        wall_ns: From the first intended send to the last end.
    """

    count: int = 0
    answered: int = 0
    failed: int = 0
    statuses: Mapping[int, int] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    p50_ns: int = 0
    p90_ns: int = 0
    p99_ns: int = 0
    slowest_ns: int = 0
    wall_ns: int = 0

    @property
    def per_s(self) -> float:
        """How many were answered, per second of wall."""
        return self.answered / (self.wall_ns / 1e9) if self.wall_ns else 0.0


def request_use(run: Run, path: str | None = None) -> RequestUse:
    """Return the figures of all requests, or of those to ``path``."""
    requests = [request for request in run.requests if path is None or path_of(request) == path]
    if not requests:
        return RequestUse()
    answered = [request for request in requests if request.status is not None and request.error is None]
    latencies = sorted(request.end_ns - request.start_ns for request in answered)
    return RequestUse(
        count=len(requests),
        answered=len(answered),
        failed=sum(map(has_failed, requests)),
        statuses=Counter(request.status for request in answered if request.status is not None),
        errors=Counter(request.error for request in requests if request.error is not None),
        p50_ns=_percentile(latencies, 50),
        p90_ns=_percentile(latencies, 90),
        p99_ns=_percentile(latencies, 99),
        slowest_ns=latencies[-1] if latencies else 0,
        wall_ns=max(request.end_ns for request in requests) - min(request.start_ns for request in requests),
    )


def requests_by_path(run: Run) -> dict[str, RequestUse]:
    """Return path -> the figures of its requests, in the order of the paths."""
    paths: defaultdict[str, list[Request]] = defaultdict(list)
    for request in run.requests:
        paths[path_of(request)].append(request)
    return {path: request_use(replace(run, requests=tuple(paths[path]))) for path in sorted(paths)}


def served_ns(run: Run) -> tuple[float, float]:
    """Return the times of the first send and the last response; (-inf, inf) for a run without requests."""
    if not run.requests:
        return float("-inf"), float("inf")
    return min(r.sent_ns for r in run.requests), max(r.end_ns for r in run.requests)


def while_serving(run: Run) -> Run:
    """Return the run with only the lanes that were open in that time."""
    if not run.requests:
        return run
    start_ns, end_ns = served_ns(run)
    return replace(
        run, lanes=tuple(lane for lane in run.lanes if lane.start_ns < end_ns and lane.end_ns > start_ns)
    )


def has_failed(request: Request) -> bool:
    """Return whether it got no complete response, or one that reports a server error."""
    return request.error is not None or request.status is None or request.status >= _FIRST_SERVER_ERROR


def path_of(request: Request) -> str:
    """Return ``/upload`` for ``POST /upload 3``, without a query; "" if a file has another kind of name."""
    _, _, rest = request.name.partition(" ")
    return rest.partition(" ")[0].partition("?")[0]


def _percentile(ascending: Sequence[int], percent: int) -> int:
    """Return the nearest rank: the smallest value that at least ``percent`` % of them do not exceed."""
    return ascending[ceil(len(ascending) * percent / 100) - 1] if ascending else 0
