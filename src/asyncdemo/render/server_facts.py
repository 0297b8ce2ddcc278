"""What there is to tell about a server under load: its requests, its processes and pools, its memory.

Not for: the facts that every run has (``facts``), measuring (``metrics``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

from asyncdemo.metrics import MemoryUse, Metrics, RequestUse
from asyncdemo.model import Request, Run
from asyncdemo.render.fact import Fact
from asyncdemo.render.words import clean, count, duration, join, number, size

__all__ = ["ending_words", "memory_facts", "request_facts"]

_ERRORS = {
    "refused": "refused",
    "reset": "reset by the server",
    "closed": "closed before the response was whole",
    "timeout": "without an answer in time",
    "protocol": "answered with something that is no HTTP",
    "interrupted": "interrupted",
    "network": "not sent for want of a port or a route",
}


def request_facts(run: Run, own: Metrics) -> Iterable[Fact]:
    use = own.requests
    if not use.count:
        return
    yield Fact("requests", _answered(use), warns=use.failed > 0)
    if use.answered:
        latencies = f"p50 {duration(use.p50_ns)}, p99 {duration(use.p99_ns)}"
        yield Fact("latency", f"{latencies}, slowest {duration(use.slowest_ns)}")
        yield Fact("answered", f"in {duration(use.wall_ns)}: {number(use.per_s)} a second")
    if run.processes > 1:
        yield Fact("processes", f"{run.processes:,}, of which {count(run.processes - 1, 'worker')}")


def memory_facts(use: MemoryUse) -> Iterable[Fact]:
    if not use.samples:
        return
    resident = f"resident {size(use.most_resident_bytes)} (+{size(use.resident_growth_bytes)})"
    virtual = f"virtual {size(use.most_virtual_bytes)} (+{size(use.virtual_growth_bytes)})"
    threads = f"{count(use.most_threads, 'thread')} (+{use.threads_growth:,})"
    yield Fact("memory", f"{resident}, {virtual}, {threads}: the most, and what that is above the start")


def ending_words(request: Request) -> str:
    """How it ended: "200", "without an answer in time", "still open at the end"."""
    if request.error is not None:
        return _ERRORS.get(request.error, clean(request.error))
    return f"answered {request.status}" if request.status is not None else "never answered"


def _answered(use: RequestUse) -> str:
    """ "48 of 50 answered: 47 with 200, 1 with 503 (Service Unavailable); 2 refused"."""
    words = f"{use.answered:,} of {use.count:,} answered"
    statuses = [f"{n:,} with {_status(status)}" for status, n in sorted(use.statuses.items())]
    if len(statuses) == 1 and use.answered == use.statuses.get(HTTPStatus.OK):
        words += ", all with 200"
    elif statuses:
        words += f": {join(statuses)}"
    return "; ".join([words, *_errors(use.errors)])


def _errors(errors: Mapping[str, int]) -> Iterable[str]:
    for error, n in sorted(errors.items()):
        yield f"{n:,} {_ERRORS.get(error, clean(error))}"


def _status(status: int) -> str:
    if status < HTTPStatus.BAD_REQUEST:
        return str(status)
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
