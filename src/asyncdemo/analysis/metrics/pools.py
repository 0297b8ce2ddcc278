"""What connection pools were used for: how many connections were opened, open, held, waited for and lost.

Not for: who held what when; that is in ``Resource.connections``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics.limits import Interval, merge, most_at_once, overlap_ns, spans_in
from asyncdemo.model import Connection, Outcome, Resource, ResourceKind, Run, Slot, State


@dataclass(frozen=True, slots=True)
class Queueing:
    """One track that waited for its turn at a resource."""

    resource: int
    track: int
    start_ns: int
    end_ns: int

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class PoolUse:
    """connections: opened in all. most_open, most_held, most_waiting: at the same time; held: or being opened
    for the one who asked.

    reopened: opened beyond the most that were open at the same time: as many would have done. closed: by the
    program, not by the garbage collector or the end. leaked: never given back by who held them last,
    though that task or thread is over. idle_share: of the time that connections were open, the share
    in which nobody held them; 0 if none was open.
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
    """One for each pool, in the order of ``run.resources``."""
    pools = [resource for resource in run.resources if resource.kind is ResourceKind.POOL]
    if not pools:
        return ()
    ends = _ends(run)
    waited: defaultdict[int, list[Queueing]] = defaultdict(list)
    for one in queueing(run):
        waited[one.resource].append(one)
    return tuple(_use(run, pool, ends[pool.process], waited[pool.index]) for pool in pools)


def queueing(run: Run) -> list[Queueing]:
    """Every turn that a track waited for, at resources that are known; a child's is told once, as its own."""
    return [
        Queueing(wait.resource, track.index, start_ns, end_ns)
        for track in run.tracks
        for start_ns, end_ns, wait in spans_in(track.spans, State.QUEUED)
        if wait.resource is not None and wait.via is None
    ]


def leaked(run: Run, pool: Resource) -> list[tuple[Connection, Slot]]:
    """(connection, its last use) of those never given back, though the task or thread that had it is over."""
    found = []
    for connection in pool.connections:
        if connection.kept and connection.uses:
            last = max(connection.uses, key=lambda use: use.start_ns)
            if run.tracks[last.track].outcome is not Outcome.OPEN:
                found.append((connection, last))
    return found


def most_open(run: Run, pools: Sequence[Resource]) -> int:
    """The most connections of these pools that were open at the same time."""
    ends = _ends(run)
    return most_at_once(interval for pool in pools for interval in _open(pool, ends[pool.process]))


def _use(run: Run, pool: Resource, end_ns: int, waited: Sequence[Queueing]) -> PoolUse:
    intervals = _open(pool, end_ns)
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
        queued_ns=sum(one.duration_ns for one in waited),
        longest_queue_ns=max((one.duration_ns for one in waited), default=0),
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
    """When each process was seen last."""
    ends: defaultdict[int, int] = defaultdict(int)
    for track in run.tracks:
        ends[track.process] = max(ends[track.process], track.end_ns)
    return ends
