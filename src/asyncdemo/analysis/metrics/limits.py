"""How many at the same time: lanes open, lanes at work, calls of a function, and holders of a resource."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from asyncdemo.analysis.metrics.states import STATES
from asyncdemo.model import Lane, Outcome, Resource, ResourceKind, Run, Spans, State, Wait

Interval = tuple[int, int]
"""(start_ns, end_ns), the end excluded."""

_ALWAYS = frozenset({ResourceKind.SEMAPHORE, ResourceKind.EXECUTOR})
_IF_QUEUED_FOR = frozenset({ResourceKind.LOCK, ResourceKind.POOL})


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """The limits that a lane queued for or held, and when it held any of them (merged intervals)."""

    met: frozenset[int]
    held: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """How a resource was used.

    Attributes:
        resource: The resource.
        peak_held: The most held at the same time; for a queue, its greatest length.
        peak_queued: The most that queued for it at the same time.
        queued_ns: How long all tracks queued for it, in total.
    """

    resource: Resource
    peak_held: int
    peak_queued: int
    queued_ns: int


@dataclass(frozen=True, slots=True)
class FunctionUse:
    """The calls of one function.

    Attributes:
        calls: How many there were.
        peak: The most calls at work at the same time.
        open: The most calls open at the same time.
        gap_ns: The longest time from the start of one call to the start of the next; 0 for fewer than two.
        longest_ns: How long the longest call was open; 0 without any.
        shortest_ns: How long the shortest call was open; 0 without any.
        outcomes: How many ended in each way; a way that does not occur is left out.
    """

    calls: int = 0
    peak: int = 0
    open: int = 0
    gap_ns: int = 0
    longest_ns: int = 0
    shortest_ns: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)


def open_lanes(run: Run) -> int:
    """Return the most lanes open at the same time."""
    return most_at_once((lane.start_ns, lane.end_ns) for lane in run.lanes)


def peak(run: Run, met: Sequence[LaneLimits] | None = None) -> int:
    """Return the most lanes at work at the same time.

    A lane that meets a limit is at work while it holds a slot, any other from open to close.
    Slots count, not states: a lane also does things before it queues and after it releases its slot.

    Args:
        met: ``lane_limits(run)``, if already known.
    """
    return most_at_work(zip(run.lanes, lane_limits(run) if met is None else met, strict=True))


def most_at_work(lanes: Iterable[tuple[Lane, LaneLimits]]) -> int:
    """Return the ``peak`` of some lanes, each with the limits that it met."""
    return most_at_once(
        interval
        for lane, meeting in lanes
        for interval in (meeting.held if meeting.met else [(lane.start_ns, lane.end_ns)])
    )


def lane_limits(run: Run) -> list[LaneLimits]:
    """Return, for each lane, which limits it met and when it held a slot.

    A lane has the slots of its track. It also has those of a track without lanes that works for it: a
    child task whose state it shows, or the executor worker that it waits for.
    """
    limiting = limits(run)
    indices = {resource.index for resource in limiting}
    slots = _held_by_track(limiting)
    workers = _held_by_track(r for r in limiting if r.kind is ResourceKind.EXECUTOR)
    hosts = {lane.track for lane in run.lanes}
    found = []
    for lane in run.lanes:
        open_ns = lane.start_ns, lane.end_ns
        causes = causes_used(lane.spans)
        children = {wait.via for _, wait in causes if wait.via not in hosts}
        held = [slot for track in {lane.track} | children for slot in slots[track].during(*open_ns)]
        if any(wait.on in workers and wait.on not in hosts for _, wait in causes):
            for start, end, wait in spans_in(lane.spans, State.WAITING):
                if wait.on not in hosts:
                    held += workers[wait.on].during(start, end)
        queued_for = {
            wait.resource
            for state, wait in causes
            if state is State.QUEUED
            and wait.resource is not None
            and wait.resource in indices
            and (wait.via is None or wait.via not in hosts)
        }
        met = queued_for | {resource for _, _, resource in held}
        found.append(LaneLimits(frozenset(met), tuple(merge((start, end) for start, end, _ in held))))
    return found


def function_use(run: Run, met: Sequence[LaneLimits] | None = None) -> dict[str, FunctionUse]:
    """Return function -> its calls, for functions that were called.

    Args:
        met: ``lane_limits(run)``, if already known.
    """
    calls: defaultdict[str, list[tuple[Lane, LaneLimits]]] = defaultdict(list)
    for lane, meeting in zip(run.lanes, lane_limits(run) if met is None else met, strict=True):
        calls[lane.function].append((lane, meeting))
    counted: defaultdict[str, Counter[Outcome]] = defaultdict(Counter)
    for lanes in run.counted:
        counted[lanes.function][lanes.outcome] += lanes.count
    return {function: _use(calls[function], counted[function]) for function in [*calls, *counted]}


def _use(calls: Sequence[tuple[Lane, LaneLimits]], counted: Counter[Outcome]) -> FunctionUse:
    opened = [(lane.start_ns, lane.end_ns) for lane, _ in calls]
    starts = sorted(start for start, _ in opened)
    lengths = [end - start for start, end in opened]
    return FunctionUse(
        calls=len(opened) + counted.total(),
        peak=most_at_work(calls),
        open=most_at_once(opened),
        gap_ns=max((later - earlier for earlier, later in pairwise(starts)), default=0),
        longest_ns=max(lengths, default=0),
        shortest_ns=min(lengths, default=0),
        outcomes=counted + Counter(lane.outcome for lane, _ in calls),
    )


def limits(run: Run) -> tuple[Resource, ...]:
    """Return the resources that limit how many lanes are at work.

    A lock or connection pool does so only if a track queued for it: many lanes hold one for only part of
    their work. A queue limits its length, not the lanes.
    """
    some = any(resource.kind in _IF_QUEUED_FOR for resource in run.resources)
    contended = {
        wait.resource
        for track in (run.tracks if some else ())
        for _, _, wait in spans_in(track.spans, State.QUEUED)
    }
    return tuple(
        resource
        for resource in run.resources
        if resource.kind in _ALWAYS or (resource.kind in _IF_QUEUED_FOR and resource.index in contended)
    )


def _queued(run: Run) -> defaultdict[int | None, list[Interval]]:
    """Return resource -> when tracks queued for it."""
    queued: defaultdict[int | None, list[Interval]] = defaultdict(list)
    for track in run.tracks:
        for start, end, wait in spans_in(track.spans, State.QUEUED):
            if wait.via is None:  # otherwise the child's own track has it
                queued[wait.resource].append((start, end))
    for resource in run.resources:
        # An executor's queue also has the items whose tracks show something else meanwhile.
        if resource.kind is ResourceKind.EXECUTOR and resource.queue:
            queued[resource.index] = [(slot.start_ns, slot.end_ns) for slot in resource.queue]
    return queued


def queued_for_full_executors(run: Run) -> dict[int, tuple[int, int]]:
    """Return executor -> (how long work queued for it while all its workers were busy, the most work then).

    At other times, work waited for a thread to start, or for the GIL. Executors without a limit are left out.
    """
    executors = [one for one in run.resources if one.kind is ResourceKind.EXECUTOR and one.limit is not None]
    queued = _queued(run) if executors else {}
    found: dict[int, tuple[int, int]] = {}
    for resource in executors:
        full = _full(resource)
        starts, ends = [start for start, _ in full], [end for _, end in full]
        sums = list(accumulate((end - start for start, end in full), initial=0))
        queued_ns, meanwhile = 0, []
        for start, end in queued[resource.index]:
            first, last = bisect_right(ends, start), bisect_left(starts, end)
            if first < last:
                begins, stops = max(start, starts[first]), min(end, ends[last - 1])
                queued_ns += sums[last] - sums[first]
                queued_ns -= (begins - starts[first]) + (ends[last - 1] - stops)
                meanwhile.append((begins, stops))
        found[resource.index] = queued_ns, most_at_once(meanwhile)
    return found


def _full(resource: Resource) -> list[Interval]:
    """Return when all of it was held, as sorted intervals."""
    changes = sorted(change for slot in resource.slots for change in ((slot.end_ns, -1), (slot.start_ns, 1)))
    held, since, found = 0, None, []
    for at_ns, change in changes:
        held += change
        if held >= (resource.limit or 0) and since is None:
            since = at_ns
        elif held < (resource.limit or 0) and since is not None:
            found.append((since, at_ns))
            since = None
    return [(start, end) for start, end in found if end > start]


def resource_use(run: Run) -> tuple[ResourceUse, ...]:
    """Return one for each resource, in the order of ``run.resources``."""
    queued = _queued(run)
    return tuple(
        ResourceUse(
            resource,
            peak_held=_peak_held(resource),
            peak_queued=most_at_once(queued[resource.index]),
            queued_ns=sum(end - start for start, end in queued[resource.index]),
        )
        for resource in run.resources
    )


def most_at_once(intervals: Iterable[Interval]) -> int:
    """Return the most intervals that share an instant.

    If two touch, the first ends before the second starts. An interval without length shares its
    instant with those around it, but not with others without length.
    """
    starts, ends, points = [], [], set()
    for start, end in intervals:
        if end > start:
            starts.append(start)
            ends.append(end)
        else:
            points.add(start)
    starts.sort()
    ends.sort()
    ended = 0
    for start in starts:
        # One at most, even if more have ended: so what is left is the maximum so far and never shrinks.
        if ends[ended] <= start:
            ended += 1
    most = len(starts) - ended
    return max(most, *(bisect_left(starts, at) - bisect_right(ends, at) + 1 for at in points), 0)


def spans_in(spans: Spans, state: State) -> Iterator[tuple[int, int, Wait]]:
    """Yield (start_ns, end_ns, cause) of the spans in one state; quick if there are few."""
    starts, states, waits, end_ns = spans.columns
    text, wanted = states.tobytes(), bytes([state])
    at = text.find(wanted)
    while at >= 0:
        yield starts[at], (starts[at + 1] if at + 1 < len(starts) else end_ns), spans.causes[waits[at]]
        at = text.find(wanted, at + 1)


def causes_used(spans: Spans) -> list[tuple[State, Wait]]:
    """Return every cause that occurs, with its state, once."""
    causes = spans.causes
    return [(STATES[state], causes[wait]) for state, wait in spans.sums()]


def merge(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union, as sorted intervals that do not touch."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def overlap_ns(merged: Sequence[Interval], interval: Interval) -> int:
    """Return how much of the interval the merged ones cover."""
    start_ns, end_ns = interval
    first = max(bisect_right(merged, (start_ns, start_ns)) - 1, 0)
    last = bisect_left(merged, (end_ns, end_ns))
    return sum(
        max(min(end, end_ns) - max(start, start_ns), 0) for start, end in merged[first : max(last, first)]
    )


class _Held:
    """The slots that one track held, sorted so that those in a period are found quickly."""

    def __init__(self, slots: Iterable[tuple[int, int, int]] = ()) -> None:
        """Each slot is (start_ns, end_ns, resource)."""
        self._slots = sorted(slots)
        self._starts = [start for start, _, _ in self._slots]
        self._ends_so_far = list(accumulate((end for _, end, _ in self._slots), max))

    def during(self, start_ns: int, end_ns: int) -> Iterator[tuple[int, int, int]]:
        """Yield the parts between two times. A slot released immediately is a part without length."""
        first = bisect_left(self._ends_so_far, start_ns)
        for start, end, resource in self._slots[first : bisect_left(self._starts, end_ns)]:
            if end > start_ns or start == end == start_ns:
                yield max(start, start_ns), min(end, end_ns), resource


def _held_by_track(resources: Iterable[Resource]) -> defaultdict[int | None, _Held]:
    slots: defaultdict[int | None, list[tuple[int, int, int]]] = defaultdict(list)
    for resource in resources:
        for slot in resource.slots:
            slots[slot.track].append((slot.start_ns, slot.end_ns, resource.index))
    return defaultdict(_Held, {track: _Held(held) for track, held in slots.items()})


def _peak_held(resource: Resource) -> int:
    if resource.kind is ResourceKind.QUEUE:
        return max((level for _, level in resource.levels), default=0)
    return most_at_once((slot.start_ns, slot.end_ns) for slot in resource.slots)
