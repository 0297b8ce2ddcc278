"""How connection pools were used: how many connections were opened, open, held, waited for and leaked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics.limits import Interval, merge, most_at_once, overlap_ns, spans_in
from asyncdemo.model import Connection, Outcome, Resource, ResourceKind, Run, Slot, State


@dataclass(frozen=True, slots=True)
class PoolUse:
    """How one connection pool was used.

    ``connections`` were opened in total. ``most_open``, ``most_held`` and ``most_waiting`` count those at the
    same time; one being opened for a caller is held. ``reopened`` are those beyond ``most_open``, which would
    have been enough. ``closed`` were closed by the program, not by the garbage collector or at the end.
    ``leaked`` were never given back by their last holder, a task or thread that has ended. ``idle_share`` is
    the share of their open time in which nobody held the connections; 0 if none was open.
    """

    resource: Resource
    connections: int
    most_open: int
    most_held: int
    most_waiting: int
    queued_ns: int
    longest_queue_ns: int
    refused: int
    reopened: int
    closed: int
    leaked: int
    idle_share: float


def pool_use(run: Run) -> tuple[PoolUse, ...]:
    """Return one for each pool, in the order of ``run.resources``."""
    pools = [resource for resource in run.resources if resource.kind is ResourceKind.POOL]
    if not pools:
        return ()
    ends, waited = _ends(run), queueing(run)
    return tuple(_use(run, pool, ends[pool.process], waited[pool.index]) for pool in pools)


def queueing(run: Run) -> defaultdict[int, list[Slot]]:
    """Return resource -> every wait of a track for its turn at it; a child's only once, as its own."""
    waited: defaultdict[int, list[Slot]] = defaultdict(list)
    for track in run.tracks:
        for start_ns, end_ns, wait in spans_in(track.spans, State.QUEUED):
            if wait.resource is not None and wait.via is None:
                waited[wait.resource].append(Slot(track.index, start_ns, end_ns))
    return waited


def leaked(run: Run, pool: Resource) -> list[tuple[Connection, Slot]]:
    """Return (connection, last use) of each that was never given back by a task or thread that has ended."""
    found = []
    for connection in pool.connections:
        if connection.kept and connection.uses:
            last = max(connection.uses, key=lambda use: use.start_ns)
            if run.tracks[last.track].outcome is not Outcome.OPEN:
                found.append((connection, last))
    return found


def most_open(run: Run, pools: Sequence[Resource]) -> int:
    """Return the most connections of these pools that were open at the same time."""
    ends = _ends(run)
    return most_at_once(interval for pool in pools for interval in _open(pool, ends[pool.process]))


def _use(run: Run, pool: Resource, end_ns: int, waited: Sequence[Slot]) -> PoolUse:
    intervals, queued = _open(pool, end_ns), [one.end_ns - one.start_ns for one in waited]
    at_once = most_at_once(intervals)
    open_ns = sum(end - start for start, end in intervals)
    held_ns = sum(
        overlap_ns(merge((use.start_ns, use.end_ns) for use in connection.uses), interval)
        for connection, interval in zip(pool.connections, intervals, strict=True)
    )
    return PoolUse(
        resource=pool,
        connections=len(pool.connections),
        most_open=at_once,
        most_held=most_at_once((slot.start_ns, slot.end_ns) for slot in pool.slots),
        most_waiting=most_at_once((one.start_ns, one.end_ns) for one in waited),
        queued_ns=sum(queued),
        longest_queue_ns=max(queued, default=0),
        refused=len(pool.refused),
        reopened=len(pool.connections) - at_once,
        closed=sum(one.closed_ns is not None and not one.dropped for one in pool.connections),
        leaked=len(leaked(run, pool)),
        idle_share=max(1 - held_ns / open_ns, 0.0) if open_ns else 0.0,
    )


def _open(pool: Resource, end_ns: int) -> list[Interval]:
    return [
        (connection.opened_ns, end_ns if connection.closed_ns is None else connection.closed_ns)
        for connection in pool.connections
    ]


def _ends(run: Run) -> defaultdict[int, int]:
    ends: defaultdict[int, int] = defaultdict(int)
    for track in run.tracks:
        ends[track.process] = max(ends[track.process], track.end_ns)
    return ends
