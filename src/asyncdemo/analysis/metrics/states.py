"""How long lanes were in each state, per lane and over the tracks of a run.

This walks the columns of spans, since a run may have a million spans.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import sub

from asyncdemo.model import Lane, Request, Run, Spans, State, Wait

STATES = tuple(State)
"""Indexed by number, since calling ``State`` is slow."""

_SUSPENDED = frozenset({State.WAITING, State.QUEUED})


@dataclass(frozen=True, slots=True)
class LaneTotals:
    """How long one lane was in each state.

    Attributes:
        running_ns: How long it ran.
        ready_ns: How long it was ready.
        waiting_ns: How long it waited.
        queued_ns: How long it queued.
        unknown_ns: How long it was not recorded what it did. The five add up to the time that it was open.
        reasons: What it waited and queued for -> how long, in ns.
    """

    running_ns: int = 0
    ready_ns: int = 0
    waiting_ns: int = 0
    queued_ns: int = 0
    unknown_ns: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)


def durations(spans: Spans) -> Iterator[int]:
    """Return the length of each span in ns."""
    starts, _, _, end_ns = spans.columns
    ends = chain(islice(starts, 1, None), (end_ns,))
    return map(sub, ends, starts)


def tally(*parts: Spans) -> Sequence[tuple[State, Wait, int]]:
    """Return the time that all parts spent in each state for each cause. A cause may occur more than once.

    Not a dictionary: hashing causes would take longer than everything else.
    """
    found: list[tuple[State, Wait, int]] = []
    for spans in parts:
        causes = spans.causes
        found += [(STATES[state], causes[wait], length) for (state, wait), length in spans.sums().items()]
    return found


def by_track(lanes: Iterable[Lane]) -> dict[int, list[Lane]]:
    """Return the lanes of each track that has any, in order of opening; an outer lane before an inner one."""
    hosted: defaultdict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        hosted[lane.track].append(lane)
    for lanes_of_track in hosted.values():
        lanes_of_track.sort(key=lambda lane: (lane.start_ns, -lane.end_ns))
    return dict(hosted)


def pieces(lanes: Iterable[Lane]) -> Iterator[Spans]:
    """Yield the spans of one track's lanes (in order of opening), each instant once."""
    covered_ns: int | None = None
    for lane in lanes:
        if covered_ns is None or lane.start_ns >= covered_ns:
            yield lane.spans
        elif lane.end_ns > covered_ns:
            yield lane.spans.clip(covered_ns, lane.end_ns)
        covered_ns = lane.end_ns if covered_ns is None else max(covered_ns, lane.end_ns)


def state_sums(run: Run) -> dict[State, int]:
    """Return the time in each state over the tracks that have lanes, each instant of a track once.

    States that a lane shows of a child with its own lanes count as waiting: the child's lanes have them.
    """
    hosted = by_track(run.lanes)
    sums = dict.fromkeys(State, 0)
    for lanes in hosted.values():
        for state, wait, duration in tally(*pieces(lanes)):
            sums[State.WAITING if wait.via in hosted else state] += duration
    return sums


def lane_totals(run: Run) -> tuple[LaneTotals, ...]:
    """Return the totals of each lane's spans, in the order of ``run.lanes``."""
    return tuple(map(totals_of, run.lanes))


def row_totals(run: Run) -> tuple[LaneTotals, ...]:
    """Return the totals of each of ``run.rows``: the requests, if there are any."""
    return tuple(map(totals_of, run.rows))


def totals_of(row: Lane | Request) -> LaneTotals:
    """Return how long a row was in each state."""
    sums, reasons = [0] * len(STATES), dict[str, int]()
    for state, wait, duration in tally(row.spans):
        sums[state] += duration
        if state in _SUSPENDED:
            reason = wait.reason or "unknown"
            reasons[reason] = reasons.get(reason, 0) + duration
    running, ready, waiting, queued, unknown = sums
    return LaneTotals(running, ready, waiting, queued, unknown, reasons)
