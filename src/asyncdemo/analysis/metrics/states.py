"""How long lanes were in each state, per lane and over the tracks of a run.

Walks the columns of spans, since a run may have a million of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import sub

from asyncdemo.model import Lane, Request, Run, Spans, State, Wait

STATES = tuple(State)
"""By their number: looked up, as calling ``State`` takes long."""

_SUSPENDED = frozenset({State.WAITING, State.QUEUED})


@dataclass(frozen=True, slots=True)
class LaneTotals:
    """How long one lane was in each state.

    Attributes:
        running_ns: How long it ran.
        ready_ns: How long it was ready.
        waiting_ns: How long it waited.
        queued_ns: How long it queued. The four add up to the time that it was open.
        reasons: What it waited and queued for -> how long, in ns.
    """

    running_ns: int = 0
    ready_ns: int = 0
    waiting_ns: int = 0
    queued_ns: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tally:
    """The time that spans spent in each state for each cause. A cause may come more than once.

    A sequence and no dictionary: to hash a cause takes longer than all the rest.
    """

    by_cause: Sequence[tuple[State, Wait, int]]

    @property
    def by_state(self) -> list[int]:
        """Indexed by state."""
        sums = [0] * len(STATES)
        for state, _, duration in self.by_cause:
            sums[state] += duration
        return sums


def durations(spans: Spans) -> Iterator[int]:
    """The length of each span in ns."""
    starts, _, _, end_ns = spans.columns
    ends = chain(islice(starts, 1, None), (end_ns,))
    return map(sub, ends, starts)


def tally(*parts: Spans) -> Tally:
    """One tally of all parts together."""
    found: list[tuple[State, Wait, int]] = []
    for spans in parts:
        causes = spans.causes
        found += [(STATES[state], causes[wait], length) for (state, wait), length in spans.sums().items()]
    return Tally(found)


def by_track(lanes: Iterable[Lane]) -> dict[int, list[Lane]]:
    """The lanes of each track that hosts any, in order of opening; an outer lane before an inner one."""
    hosted: defaultdict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        hosted[lane.track].append(lane)
    for lanes_of_track in hosted.values():
        lanes_of_track.sort(key=lambda lane: (lane.start_ns, -lane.end_ns))
    return dict(hosted)


def pieces(lanes: Iterable[Lane]) -> Iterator[Spans]:
    """The spans of one track's lanes (in order of opening), each instant once."""
    covered_ns: int | None = None
    for lane in lanes:
        if covered_ns is None or lane.start_ns >= covered_ns:
            yield lane.spans
        elif lane.end_ns > covered_ns:
            yield lane.spans.clip(covered_ns, lane.end_ns)
        covered_ns = lane.end_ns if covered_ns is None else max(covered_ns, lane.end_ns)


def state_sums(run: Run) -> dict[State, int]:
    """The time in each state over the tracks that host lanes, each instant of a track once.

    What a lane borrows from a child that hosts lanes itself counts as waiting: the child's own
    lanes have the rest.
    """
    hosted = by_track(run.lanes)
    sums = dict.fromkeys(State, 0)
    for lanes in hosted.values():
        for state, wait, duration in tally(*pieces(lanes)).by_cause:
            sums[State.WAITING if wait.via in hosted else state] += duration
    for tasks in run.summed:
        sums[State.RUNNING] += tasks.running_ns
        sums[State.READY] += tasks.ready_ns
        sums[State.WAITING] += tasks.waiting_ns
    return sums


def lane_totals(run: Run) -> tuple[LaneTotals, ...]:
    """For each lane, in the order of ``run.lanes``, what its own spans say."""
    return _totals_of(run.lanes)


def row_totals(run: Run) -> tuple[LaneTotals, ...]:
    """The same for each of ``run.rows``: the requests, where there are some."""
    return _totals_of(run.rows)


def _totals_of(rows: Iterable[Lane | Request]) -> tuple[LaneTotals, ...]:
    return tuple(_totals(tally(row.spans)) for row in rows)


def _totals(sums: Tally) -> LaneTotals:
    reasons: dict[str, int] = {}
    for state, wait, duration in sums.by_cause:
        if state in _SUSPENDED:
            reason = wait.reason or "unknown"
            reasons[reason] = reasons.get(reason, 0) + duration
    running, ready, waiting, queued = sums.by_state
    return LaneTotals(running, ready, waiting, queued, reasons)
