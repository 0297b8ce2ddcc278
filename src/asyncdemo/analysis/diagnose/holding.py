"""Connections held too long: never given back, or held while the same caller waits for another one.

With how findings refer to a connection pool.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from asyncdemo.analysis.diagnose.finding import Finding, at, detector, finding, plural
from asyncdemo.analysis.metrics.limits import Interval, merge, most_at_once
from asyncdemo.analysis.metrics.pools import leaked, queueing
from asyncdemo.model import Resource, ResourceKind, Run, Slot, State, TrackKind

_JOINING = frozenset({"gather", "task", "taskgroup", "tasks", "thread"})
"""Waits for other tasks or threads, which may be the ones that queue."""

_MAIN_THREAD = "MainThread"


class Nesting(NamedTuple):
    """Tracks that requested a second connection of a pool.

    ``most_stuck`` is the most of its connections held at the same time by tracks that waited for another.
    """

    pool: Resource
    tracks: list[int]
    most_stuck: int


@detector(
    "held-while-acquiring",
    "a caller held a connection of a pool while it asked for a second one of the same pool",
    about_correctness=True,
)
def held_while_acquiring(run: Run) -> Iterator[Finding]:
    for pool, tracks, most_stuck in nested(run):
        if pool.limit is not None and most_stuck >= pool.limit:
            all_of_them = f"All {pool.limit:,} were held by such callers at the same time"
            one = "Its one connection was held by such a caller"
            outcome = f"{one if pool.limit == 1 else all_of_them}: a deadlock, so none could continue."
        else:
            number = "all" if pool.limit is None else f"all {pool.limit:,}"
            outcome = f"As soon as {number} are held by such callers, none can continue: a deadlock."
        kind = "task" if all(run.tracks[track].kind is TrackKind.TASK for track in tracks) else "thread"
        yield finding(
            f"{plural(len(tracks), kind)}{taking_function(run, pool, tracks[0])} held a connection of the "
            f"{describe(pool)} and asked it for a second one. {outcome}",
            "Do everything on the connection that you hold (pass it on as an argument), or give it back "
            "before you ask for another.",
            pool.site,
        )


def nested(run: Run) -> list[Nesting]:
    """Return the pools from which a track that held a connection requested another."""
    pools = [resource for resource in run.resources if resource.kind is ResourceKind.POOL]
    waits = queueing(run) if pools else {}
    found = []
    for pool in pools:
        held: defaultdict[int, list[Slot]] = defaultdict(list)
        for slot in pool.slots:
            held[slot.track].append(slot)
        holding: defaultdict[int, list[Interval]] = defaultdict(list)
        """Track that holds one -> when it waits for another."""
        asked: set[int] = set()
        for asking in (*waits.get(pool.index, ()), *pool.refused):
            holder = _holder(run, held, asking)
            if holder is not None:
                holding[holder].append((asking.start_ns, asking.end_ns))
                asked.add(asking.track)
        if not asked and pool.limit is not None:
            holding_two = {track for track, slots in held.items() if _overlap(slots)}
            # A single one (a subscriber, say) can wait for itself only if there is just one connection.
            if len(holding_two) > 1 and pool.limit <= 2 * len(holding_two):
                asked = holding_two
        if asked:
            most_stuck = most_at_once(interval for waited in holding.values() for interval in merge(waited))
            found.append(Nesting(pool, sorted(asked), most_stuck))
    return found


def _holder(run: Run, held: Mapping[int, Sequence[Slot]], asking: Slot) -> int | None:
    """Return the track that holds one meanwhile: itself, or its parent if that waits for it; else None."""
    track, start_ns, end_ns = asking.track, asking.start_ns, asking.end_ns
    if _covers(held.get(track, ()), start_ns, end_ns):
        return track
    parent = run.tracks[track].parent
    if parent is None or not _covers(held.get(parent, ()), start_ns, end_ns):
        return None
    meanwhile = run.tracks[parent].spans.clip(start_ns, max(end_ns, start_ns + 1))
    joining = [span for span in meanwhile if span.state is State.WAITING and span.wait.reason in _JOINING]
    waits = bool(joining) and 2 * sum(span.duration_ns for span in joining) >= end_ns - start_ns
    return parent if waits else None


def _covers(slots: Sequence[Slot], start_ns: int, end_ns: int) -> bool:
    return any(slot.start_ns < start_ns and end_ns <= slot.end_ns for slot in slots)


def _overlap(slots: Sequence[Slot]) -> bool:
    ordered = sorted(slots, key=lambda slot: slot.start_ns)
    return any(later.start_ns < earlier.end_ns for earlier, later in pairwise(ordered))


@detector(
    "leaked-connection", "a connection was taken from a pool and never given back", about_correctness=True
)
def leaked_connections(run: Run) -> Iterator[Finding]:
    for pool in run.resources:
        lost = [use for _, use in leaked(run, pool) if run.tracks[use.track].name != _MAIN_THREAD]
        if not lost:
            continue
        (where, _), *_ = Counter(taking_function(run, pool, use.track) for use in lost).most_common(1)
        number = plural(len(lost), "connection") if pool.limit is None else f"{len(lost):,} of {pool.limit:,}"
        were = "was" if len(lost) == 1 else "were"
        last = f"; held last{where}" if where else ""
        yield finding(
            f"Of the {describe(pool)}, {number} {were} taken and never given back{last}.",
            f"Give each back however the work ends: {pool.words.giving_back}. A pool that leaks runs out of "
            "connections, and then every caller waits or fails.",
            pool.site,
        )


def noun(pool: Resource) -> str:
    """Return the noun for what the user creates: for AWS and HTTP, a client that has a pool."""
    return "client" if pool.words.is_http else "pool"


def describe(pool: Resource) -> str:
    """Return "redis pool made at app.py:12 in main()"."""
    return f"{pool.name} {noun(pool)}" + (f" made{at(pool.site)}" if pool.site else "")


def taking_function(run: Run, pool: Resource, track: int) -> str:
    """Return " in show()": the innermost call that took a connection, or else the track's function."""
    starts = [slot.start_ns for slot in pool.slots if slot.track == track]
    calls = [
        lane
        for lane in run.lanes
        if run.named and lane.track == track and any(lane.start_ns <= start < lane.end_ns for start in starts)
    ]
    name = max(calls, key=lambda lane: lane.start_ns).function if calls else run.tracks[track].function
    return f" in {name}()" if name and not name.startswith("<") else ""
