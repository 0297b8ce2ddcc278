"""Facts about a server under load: its requests, its processes and pools, its memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from itertools import islice

from asyncdemo.analysis.metrics import MemoryUse, Metrics, RequestUse
from asyncdemo.analysis.metrics.pools import PoolUse
from asyncdemo.model import Request, Run, Site
from asyncdemo.render.facts import Fact
from asyncdemo.render.words import count, duration, join, number, place, size
from asyncdemo.safe_text import clean

_MOST_POOLS = 8

_ERRORS = {
    "refused": "refused",
    "reset": "reset by the server",
    "closed": "closed before the response was complete",
    "timeout": "without an answer in time",
    "protocol": "answered with something that isn't HTTP",
    "interrupted": "interrupted",
    "network": "not sent: no free port, or no route",
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
        yield Fact("processes", f"{run.processes:,}, including {count(run.processes - 1, 'worker')}")


def pool_facts(uses: Iterable[PoolUse]) -> Iterable[Fact]:
    """Yield the pools that were used; those created by the same line share a fact."""
    made: defaultdict[tuple[str, Site | None, int | None], list[PoolUse]] = defaultdict(list)
    for use in uses:
        if use.connections or use.refused or use.most_waiting:
            made[use.resource.name, use.resource.site, use.resource.limit].append(use)
    for (name, site, limit), together in islice(made.items(), _MOST_POOLS):
        yield Fact("pool", _pool_words(name, site, limit, together), warns=any(map(_has_lost, together)))
    if len(made) > _MOST_POOLS:
        yield Fact("more", f"{len(made) - _MOST_POOLS:,} other pools; --json has them all")


def _pool_words(name: str, site: Site | None, limit: int | None, uses: Sequence[PoolUse]) -> str:
    """ "redis, limit 5, made at app.py:9: 5 connections opened, 5 held and 45 waited for at most"."""
    each = " each" if len(uses) > 1 else ""
    about = [
        f"{len(uses):,} of them" if each else "",
        clean(name),
        f"limit {limit:,}" if limit is not None else "no limit",
        f"made at {place(site)}" if site is not None else "",
    ]
    opened = sum(use.connections for use in uses)
    held, waiting = max(use.most_held for use in uses), max(use.most_waiting for use in uses)
    waited_for = f" and {waiting:,} waited for" if waiting else ""
    in_all = " in all" if each else ""
    words = [f"{count(opened, 'connection')} opened{in_all}, {held:,} held{each}{waited_for} at most"]
    queued_ns = sum(use.queued_ns for use in uses)
    words += [f"queued {duration(queued_ns)} in total"] if queued_ns else []
    refused, lost = sum(use.refused for use in uses), sum(use.leaked for use in uses)
    words += [f"refused {count(refused, 'time')}"] if refused else []
    words += [f"{lost:,} never given back"] if lost else []
    return ", ".join(filter(None, about)) + ": " + "; ".join(words)


def _has_lost(use: PoolUse) -> bool:
    return bool(use.refused or use.leaked)


def memory_facts(use: MemoryUse) -> Iterable[Fact]:
    """Yield the memory; in parentheses, the growth since the start."""
    if not use.samples:
        return
    resident = f"resident {size(use.most_resident_bytes)}{_more(use.resident_growth_bytes)}"
    virtual = f"virtual {size(use.most_virtual_bytes)}{_more(use.virtual_growth_bytes)}"
    threads = count(use.most_threads, "thread") + (
        f" (+{use.threads_growth:,})" if use.threads_growth else ""
    )
    yield Fact("memory", f"at most {resident}, {virtual}, {threads}")


def _more(growth_bytes: int) -> str:
    return f" (+{size(growth_bytes)})" if growth_bytes else ""


def ending_words(request: Request) -> str:
    """Return how it ended: "answered 200", "without an answer in time", "never answered"."""
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
