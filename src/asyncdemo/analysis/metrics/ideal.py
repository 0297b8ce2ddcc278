"""The wall time without overhead: the lanes' own work, list-scheduled over the observed slots.

R. L. Graham, "Bounds for certain multiprocessing anomalies", Bell System Technical Journal 45
(1966): whenever a slot is free, the next job of the list takes it. The list is the order in which
the lanes started. CPU time cannot overlap under one GIL, so it is a lower bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heapreplace

from asyncdemo.analysis.metrics.cpu import cpu_ns
from asyncdemo.analysis.metrics.limits import Interval, LaneLimits, lane_limits, merge
from asyncdemo.analysis.metrics.states import by_track, tally
from asyncdemo.model import Lane, Outcome, ResourceKind, Run, RunOutcome, Spans, State, Wait

Limit = tuple[int, int]
"""(index of the resource, how many may hold it)."""

IDLE = "idle"
"""The reason of a pool worker's wait for work, which is no lane's work."""


def ideal_ns(run: Run, met: Sequence[LaneLimits] | None = None) -> int:
    """Return the length of the best schedule that a learner could hope for; 0 without lanes.

    Each lane takes its turn at the smallest limit that it met; one that met none starts immediately.

    Args:
        met: ``lane_limits(run)``, if already known.
    """
    work = own_work_ns(run)
    limited: defaultdict[Limit | None, list[int]] = defaultdict(list)
    binding = binding_limits(run, met)
    for lane in sorted(range(len(run.lanes)), key=lambda lane: run.lanes[lane].start_ns):
        limited[binding[lane]].append(work[lane])
    scheduled = [list_schedule(jobs, limit and limit[1]) for limit, jobs in limited.items()]
    return max([cpu_ns(run), *scheduled])


def was_cut_off(run: Run) -> bool:
    """Return whether a limit, Ctrl-C, signal, deadlock or os._exit ended the run before its work was done.

    What its lanes did until then says nothing about how long the work takes.
    """
    if run.outcome is RunOutcome.OK:
        return False
    by_limit = run.outcome in (RunOutcome.TIMEOUT, RunOutcome.INTERRUPTED)
    at_work = bool(run.tracks) and run.tracks[0].outcome is Outcome.OPEN  # the main thread
    return by_limit or at_work or run.exit_code is None or run.exit_code < 0 or bool(run.stuck)


def list_schedule(jobs: Sequence[int], slots: int | None) -> int:
    """Return when the last job ends if each in turn takes the first free slot; None means no limit."""
    if not jobs:
        return 0
    if slots is None or slots >= len(jobs):
        return max(jobs)
    free_at = list(jobs[:slots])
    heapify(free_at)
    for job in jobs[slots:]:
        heapreplace(free_at, free_at[0] + job)
    return max(free_at)


def binding_limits(run: Run, met: Sequence[LaneLimits] | None = None) -> list[Limit | None]:
    """Return, for each lane, the smallest limit that it met; None if it met none."""
    limits = {
        resource.index: max(limit, 1)
        for resource in run.resources
        if (limit := 1 if resource.kind is ResourceKind.LOCK else resource.limit) is not None
    }
    return [
        min(
            ((index, limits[index]) for index in meeting.met if index in limits),
            key=lambda limit: (limit[1], limit[0]),
            default=None,
        )
        for meeting in (lane_limits(run) if met is None else met)
    ]


def own_work_ns(run: Run) -> list[int]:
    """Return, for each lane, its running and waiting time that no other lane's work explains.

    It excludes being ready or queued, waiting for another lane of the run, the idling of a pool's
    worker, and the lanes nested inside it on its track, which have their own.
    """
    hosted = by_track(run.lanes)
    inner = {track: _nested(lanes) for track, lanes in hosted.items()}

    def is_own(state: State, wait: Wait, track: int) -> bool:
        if wait.via in hosted or state in (State.READY, State.QUEUED, State.UNKNOWN):
            return False
        return state is State.RUNNING or not (wait.reason == IDLE or (wait.on in hosted and wait.on != track))

    return [
        sum(
            duration
            for state, wait, duration in tally(*_outside(lane, inner[lane.track][id(lane)]))
            if is_own(state, wait, lane.track)
        )
        for lane in run.lanes
    ]


def _nested(lanes: Sequence[Lane]) -> dict[int, list[Interval]]:
    """Return, for each lane of a track (by id), the intervals of the lanes directly inside it.

    The lanes must be in order of opening, an outer one before an inner one.
    """
    inside: dict[int, list[Interval]] = {id(lane): [] for lane in lanes}
    around: list[Lane] = []
    for lane in lanes:
        around = [outer for outer in around if outer.end_ns > lane.start_ns]
        enclosing = [outer for outer in around if outer.end_ns >= lane.end_ns]
        if enclosing:
            inside[id(enclosing[-1])].append((lane.start_ns, lane.end_ns))
        around.append(lane)
    return {lane: merge(intervals) for lane, intervals in inside.items()}


def _outside(lane: Lane, inner: Sequence[Interval]) -> Iterator[Spans]:
    if not inner:
        yield lane.spans
        return
    at = lane.start_ns
    for start, end in inner:
        if start > at:
            yield lane.spans.clip(at, start)
        at = max(at, end)
    if at < lane.end_ns:
        yield lane.spans.clip(at, lane.end_ns)
