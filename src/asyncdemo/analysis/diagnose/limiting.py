"""Limits that are missing, limit nothing, are created for each call, or hold everything up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from asyncdemo.analysis.diagnose.finding import Finding, at, detector, duration, finding, own, plural
from asyncdemo.analysis.metrics import limits, most_at_once, resource_use
from asyncdemo.analysis.metrics.limits import causes_used, queued_for_full_executors
from asyncdemo.model import Resource, ResourceKind, Run, State, Track, TrackKind

_MANY = 200
"""From this many tasks of one function at the same time, something should limit them."""

_SATURATED_NS = 50_000_000

_EMPTY = "empty queue"

_MADE_ONCE_EACH = frozenset({"__init__", "__post_init__"})
"""Functions that create a lock for an object, not for a call."""


@detector("unbounded-fan-out", "very many tasks ran at the same time, with nothing to limit them")
def unbounded_fan_out(run: Run) -> Iterator[Finding]:
    groups: defaultdict[tuple[str, int | None], list[Track]] = defaultdict(list)
    for track in run.tracks:
        if track.kind is TrackKind.TASK and not track.own:  # asyncio makes one for each connection
            groups[track.function, track.parent].append(track)
    large = {key: tracks for key, tracks in groups.items() if len(tracks) >= _MANY}
    if not large:
        return
    limited = _limited_tracks(run)
    for (function, _), tracks in large.items():
        most = most_at_once((track.start_ns, track.end_ns) for track in tracks)
        if most < _MANY or any(track.index in limited for track in tracks):
            continue
        created_at = tracks[0].created_at
        site = created_at or tracks[0].site
        # Of workers that wait for jobs, the fixed number is the limit.
        waited_for_jobs = sum(_EMPTY in {wait.reason for _, wait in causes_used(one.spans)} for one in tracks)
        if (site is not None and site.installed) or 2 * waited_for_jobs >= len(tracks):
            continue
        of = f" of {function}()" if function else ""
        yield Finding(
            f"{most:,} tasks{of} were open at the same time, made{at(created_at)}: nothing limits how many.",
            "Let them share a semaphore (`async with gate:` around the scarce part), or let a fixed number "
            "of workers take the jobs from a queue.",
            site,
            own(created_at),
        )


def _limited_tracks(run: Run) -> set[int]:
    """Return the tracks that met a limit, and those that created such a track."""
    limiting = limits(run)
    indices = {resource.index for resource in limiting}
    limited = {slot.track for resource in limiting for slot in resource.slots}
    for track in run.tracks:
        for state, wait in causes_used(track.spans):
            if state is State.QUEUED and wait.resource in indices:
                limited.add(track.index)
    makers = {run.tracks[index].parent for index in limited}
    return limited | {parent for parent in makers if parent is not None}


@detector("idle-limit", "a semaphore or lock never made anyone wait")
def idle_limits(run: Run) -> Iterator[Finding]:
    if not run.is_whole:
        return  # somebody may have queued meanwhile
    per_call = {resource.index for group in _made_per_call(run) for resource in group}
    for use in resource_use(run):
        resource = use.resource
        if use.peak_queued or own(resource.site) is None or resource.index in per_call:
            continue
        holders = {slot.track for slot in resource.slots}
        # A full one may have kept others out invisibly (``locked()``), or be just right.
        was_full = not resource.limit or use.peak_held >= resource.limit
        of_tasks = all(run.tracks[holder].kind is TrackKind.TASK for holder in holders)
        if resource.kind is ResourceKind.SEMAPHORE and len(resource.slots) >= 2 and not was_full:
            yield finding(
                f"The semaphore made{at(resource.site)} never made anyone wait: "
                f"at most {use.peak_held:,} of {resource.limit:,} were held at the same time.",
                _advice_for_idle(len(holders)),
                resource.site,
            )
        elif resource.kind is ResourceKind.LOCK and len(holders) >= 2 and of_tasks:
            yield finding(
                f"The lock made{at(resource.site)} never made anyone wait: {plural(len(holders), 'task')} "
                f"took it {plural(len(resource.slots), 'time')}.",
                "Tasks switch only at an `await`, so code without one needs no lock. Keep the lock if there "
                "is an `await` in the block.",
                resource.site,
            )


def _advice_for_idle(holders: int) -> str:
    if holders == 1:
        return (
            "Only one task or thread ever took it, one slot after another. Start the calls together, or "
            "remove the semaphore."
        )
    return (
        "At this load it limits nothing. Lower it to what the resource behind it can take, or keep it as "
        "protection against a higher load."
    )


@detector("limit-per-call", "each call made a new semaphore or lock, so that it limits nothing")
def limits_per_call(run: Run) -> Iterator[Finding]:
    """Find limits created on one line, each used by one track: together they limit nothing."""
    for group in _made_per_call(run):
        site, limit = group[0].site, _limit(group[0])
        kind = str(group[0].kind)
        most = _most_held(group)
        noun = kind if kind == "lock" else f"{kind} of {limit:,}"
        yield finding(
            f"A {noun} was made {len(group):,} times{at(site)}, each time for one caller: together {most:,} "
            f"were held at the same time, where one shared {kind} would have allowed {limit:,}.",
            f"Make one {kind} outside the function, and pass it to every caller that should share it."
            + (
                " If each one guards different data, such as one user's, it is fine as it is."
                * (kind == "lock")
            ),
            site,
        )


def _made_per_call(run: Run) -> list[list[Resource]]:
    kinds = {ResourceKind.SEMAPHORE, ResourceKind.LOCK}
    shared = {use.resource.index for use in resource_use(run) if use.peak_queued}
    shared |= {stuck.resource for stuck in run.stuck if stuck.resource is not None}  # maybe without any time
    groups: defaultdict[object, list[Resource]] = defaultdict(list)
    for resource in run.resources:
        used = resource.slots and resource.index not in shared
        if resource.kind in kinds and own(resource.site) and used and _limit(resource):
            groups[resource.kind, resource.site].append(resource)
    return [
        group
        for group in groups.values()
        if len(group) >= 2
        and all(len({slot.track for slot in resource.slots}) == 1 for resource in group)
        and len({resource.slots[0].track for resource in group}) >= 2
        and _most_held(group) > min(map(_limit, group))
        and not (group[0].kind is ResourceKind.LOCK and _is_kept(group))
    ]


@detector("saturated-executor", "every worker of an executor was busy while work queued")
def saturated_executors(run: Run) -> Iterator[Finding]:
    for executor, (queued_ns, most) in queued_for_full_executors(run).items():
        resource = run.resources[executor]
        if queued_ns < _SATURATED_NS:
            continue
        made = f"The executor made{at(resource.site)}" if resource.site else "The default executor"
        workers = plural(resource.limit or 0, "worker")
        yield finding(
            f"{made} had work queued for {workers}: up to {most:,} at the same time, "
            f"{duration(queued_ns)} in total.",
            "If the work waits (files, network), give it more threads: `max_workers=...`. If it computes, "
            "more workers than CPUs do not help, and threads of one interpreter share its GIL.",
            resource.site,
        )


def _limit(resource: Resource) -> int:
    return 1 if resource.kind is ResourceKind.LOCK else resource.limit or 0


def _most_held(group: Sequence[Resource]) -> int:
    return most_at_once((slot.start_ns, slot.end_ns) for resource in group for slot in resource.slots)


def _is_kept(locks: Sequence[Resource]) -> bool:
    """Whether the locks are parts of objects, and not made for one call each."""
    return _made_in(locks[0]) in _MADE_ONCE_EACH or any(len(lock.slots) > 1 for lock in locks)


def _made_in(resource: Resource) -> str:
    return resource.site.function.rpartition(".")[2] if resource.site else ""
