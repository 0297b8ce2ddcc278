"""Connection pools that are created for each call, are too small, or close connections too soon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from asyncdemo.analysis.diagnose.finding import Finding, at, detector, duration, finding, own, plural
from asyncdemo.analysis.diagnose.holding import describe, nested, noun
from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.analysis.metrics.limits import causes_used
from asyncdemo.analysis.metrics.pools import PoolUse, most_open, pool_use
from asyncdemo.model import Resource, ResourceKind, Run, Track, TrackKind

_SEVERAL = 3
"""From this many pools created on one line, they look like one for each call."""

_WAITED_NS = 50_000_000
_REOPENED = 5
_CLOSED_BY_OTHERS = (
    "Find out what closes them: closing the pool or client after each use, an idle timeout that is too "
    "short, or errors."
)

_IF_CUT_OFF = (
    "Check that its server runs and can be reached at the address in the pool's settings. A larger pool "
    "doesn't help."
)


@detector("pool-per-call", "each call made a new connection pool, or a client that has one")
def pools_per_call(run: Run) -> Iterator[Finding]:
    for pools in _made_per_call(run):
        first = pools[0]
        opened = sum(len(pool.connections) for pool in pools)
        held = most_at_once((slot.start_ns, slot.end_ns) for pool in pools for slot in pool.slots)
        yield finding(
            f"{len(pools):,} {first.name} {noun(first)}s were made{at(first.site)}, one for each call: "
            f"{plural(opened, 'connection')} opened, up to {most_open(run, pools):,} of them open and "
            f"{held:,} in use at the same time.",
            f"Make one {noun(first)} when the program starts (a server: when it starts up, in each process), "
            "let all calls share it, and close it at the end. Then connections are reused, and their number "
            "is limited.",
            first.site,
        )


def made_in(run: Run) -> dict[tuple[str, str], str]:
    """Return (file, function) -> what it creates for each call: "client" or "pool"."""
    firsts = [pools[0] for pools in _made_per_call(run)]
    return {(pool.site.file, pool.site.function): noun(pool) for pool in firsts if pool.site is not None}


def _made_per_call(run: Run) -> Iterator[list[Resource]]:
    groups: defaultdict[object, list[Resource]] = defaultdict(list)
    for pool in run.resources:
        if pool.kind is ResourceKind.POOL and own(pool.site) is not None:
            groups[pool.process, pool.name, pool.site].append(pool)
    return (pools for pools in groups.values() if len(pools) >= _SEVERAL and _is_one_each(run, pools))


def _is_one_each(run: Run, pools: Sequence[Resource]) -> bool:
    """Return whether several callers created one each, or one caller a new one after using the last."""
    makers = {pool.made_by for pool in pools if pool.made_by is not None}
    if len(makers) > 1:
        if len(makers) == len(pools) and any(_is_worker(run.tracks[maker]) for maker in makers):
            return False  # each worker thread keeps one: not every client can be shared between threads
        return all(_is_private(run, pool) for pool in pools)
    ordered = sorted(pools, key=lambda pool: pool.made_ns or 0)
    failed = any(connection.ready_ns is None for pool in pools for connection in pool.connections)
    return not failed and all(
        earlier.slots and max(slot.end_ns for slot in earlier.slots) <= (later.made_ns or 0)
        for earlier, later in pairwise(ordered)
    )


def _is_private(run: Run, pool: Resource) -> bool:
    """Return whether only its creator used it, or newer tracks before the creator ended."""
    if pool.made_by is None or pool.made_ns is None:
        return False
    maker = run.tracks[pool.made_by]
    return all(
        slot.track == maker.index
        or (run.tracks[slot.track].start_ns >= pool.made_ns and slot.start_ns <= maker.end_ns)
        for slot in pool.slots
    )


def _is_worker(track: Track) -> bool:
    """Return whether it is an executor's worker, which outlives the call, as may what it keeps."""
    idle = any(wait.reason == "idle" for _, wait in causes_used(track.spans))
    return track.kind is TrackKind.THREAD and idle


@detector("small-pool", "callers queued for the connections of a pool")
def small_pools(run: Run) -> Iterator[Finding]:
    emptied = {pool.index for pool, *_ in nested(run)}
    queued_for = [
        use
        for use in pool_use(run)
        if use.queued_ns >= _WAITED_NS and use.resource.index not in emptied and not _is_cut_off(use.resource)
    ]
    for use, more in _of_each_line(queued_for, lambda use: use.queued_ns):
        pool = use.resource
        if pool.limit is not None and 0 < use.most_open < pool.limit:
            yield _growing(use, more)
            continue
        places = "its connections" if pool.limit is None else plural(pool.limit, "connection")
        yield finding(
            f"The {describe(pool)} was too small for its callers: up to {use.most_waiting:,} queued for "
            f"{places}, for {duration(use.queued_ns)} in total and at most {duration(use.longest_queue_ns)} "
            "each." + _others("was" if more == 1 else "were", more),
            f"If the server behind it can take more, raise {pool.words.size}. If not, hold each connection "
            "for a shorter time: take it late, and give it back before doing other work. If the pool is "
            "meant as a limit, this queue is expected.",
            pool.site,
        )


def _growing(use: PoolUse, more: int) -> Finding:
    """Callers queued although it was never full: it opens connections in the background, one by one."""
    pool = use.resource
    return finding(
        f"The {describe(pool)} was still opening connections while up to {use.most_waiting:,} queued for "
        f"one: {use.most_open:,} of {pool.limit:,} were ever open. They queued for {duration(use.queued_ns)} "
        f"in total and at most {duration(use.longest_queue_ns)} "
        "each." + _others("was" if more == 1 else "were", more),
        "Open them in advance: set a higher `min_size`, and wait until the pool is full before you use it.",
        pool.site,
    )


@detector(
    "refused-by-pool",
    "a pool had no free connection, and raised an error in its callers",
    about_correctness=True,
)
def refused_by_pool(run: Run) -> Iterator[Finding]:
    refusing = [use for use in pool_use(run) if use.refused]
    for use, more in _of_each_line(refusing, lambda use: use.refused):
        pool = use.resource
        waited_ns = max(refusal.end_ns - refusal.start_ns for refusal in pool.refused)
        limit = "" if pool.limit is None else f" of {pool.limit:,}"
        waiting = f", after waiting for up to {duration(waited_ns)}" if waited_ns >= _WAITED_NS else ""
        cut_off = _is_cut_off(pool)
        in_use = f"up to {use.most_held:,}{limit} connections were in use."
        yield finding(
            f"The {describe(pool)} turned callers away {plural(use.refused, 'time')}{waiting}: "
            + ("it could not open a connection." if cut_off else in_use)
            + _others("did", more),
            _IF_CUT_OFF if cut_off else _advice_for_refused(pool, waited_ns),
            pool.site,
        )


def _is_cut_off(pool: Resource) -> bool:
    """Return whether it tried to open connections and never got one: then its size doesn't matter."""
    return bool(pool.connections) and all(one.ready_ns is None for one in pool.connections)


def _of_each_line(uses: Sequence[PoolUse], worse: Callable[[PoolUse], int]) -> Iterator[tuple[PoolUse, int]]:
    """Yield (worst pool created on a line, how many more were created there), for example one per process."""
    groups: defaultdict[object, list[PoolUse]] = defaultdict(list)
    for use in uses:
        groups[use.resource.name, use.resource.site].append(use)
    for group in groups.values():
        yield max(group, key=worse), len(group) - 1


def _others(verb: str, number: int) -> str:
    return f" So {verb} {number:,} more that were made there." if number else ""


def _advice_for_refused(pool: Resource, waited_ns: int) -> str:
    if waited_ns < _WAITED_NS and pool.words.if_refused:
        return pool.words.if_refused
    return (
        f"If the server behind it can take more, raise {pool.words.size}. If not, hold connections for a "
        "shorter time, or let fewer callers in at the same time."
    )


@detector("reopened-connections", "a pool closed connections and opened others in their place")
def reopened_connections(run: Run) -> Iterator[Finding]:
    for use in pool_use(run):
        pool = use.resource
        failed = sum(connection.ready_ns is None for connection in pool.connections)
        if pool.words.is_http or use.reopened - failed < _REOPENED:
            continue
        if use.connections - failed < 2 * use.most_open:
            continue
        yield finding(
            f"The {describe(pool)} opened {plural(use.connections, 'connection')}, though never more than "
            f"{use.most_open:,} were open at the same time: it closed the others, and opened new ones.",
            pool.words.if_reopened or _CLOSED_BY_OTHERS,
            pool.site,
        )
