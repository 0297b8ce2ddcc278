"""CPU time that threads used, and the time in which they show as running without using any.

Such a thread waited for the GIL or in a call outside Python that nobody observes, or the operating system
ran other programs: no event shows which. What is known is a bound. The GIL is a lock: while one thread
waits for it, another one holds it, and the holder uses CPU time. (CPython, ``Python/ceval_gil.c``: it is
released around calls that block.) So a thread waited for it no longer than the other threads of its
process used CPU time while it shows as running. The rest was not observed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from asyncdemo.analysis.metrics.limits import Interval, causes_used, merge, overlap_ns, spans_in
from asyncdemo.analysis.metrics.states import by_track, pieces, tally
from asyncdemo.model import Run, State, Track, TrackKind

_NOISE_NS = 1_000_000
"""For one thread: less than this is measurement noise."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Time in which threads show as running but used no CPU.

    Both figures are 0 for a thread whose CPU time is unknown.

    Attributes:
        gil_ns: At most this much of it was waiting for the GIL.
        unobserved_ns: At least this much of it was something else.
    """

    gil_ns: int = 0
    unobserved_ns: int = 0


def cpu_ns(run: Run) -> int:
    """Return the CPU time of the lanes, all under one GIL.

    For each thread: its lanes' running time without the blocking calls in it, and at most the thread's
    CPU time as reported by the system. If that is unknown, what a thread itself did is not counted, but
    the steps of its tasks are: a loop runs one at a time.
    """
    total = 0
    for thread, tracks in _lanes_running(run).items():
        known = None if thread is None else run.tracks[thread].cpu_ns
        if known is not None:
            total += min(sum(tracks.values()), known)
        else:
            total += sum(ns for track, ns in tracks.items() if run.tracks[track].kind is TrackKind.TASK)
    return total


def idle_while_running(run: Run) -> Idle:
    """Return the idle time of all threads that have lanes, either themselves or through their tasks."""
    idle = {
        thread: idle_ns
        for thread, tracks in _lanes_running(run).items()
        if thread is not None
        and (known := run.tracks[thread].cpu_ns) is not None
        and (idle_ns := sum(tracks.values()) - known) >= _NOISE_NS
    }
    gil_ns = sum(_gil_wait_ns(run, idle))
    return Idle(gil_ns, sum(idle.values()) - gil_ns)


def _gil_wait_ns(run: Run, idle: dict[int, int]) -> Iterator[int]:
    """Yield, for each of the threads, the longest time that it can have waited for the GIL."""
    threads = defaultdict[int, list[Track]](list)
    for track in run.tracks:
        if track.kind is TrackKind.THREAD:
            threads[track.process].append(track)
    executed = defaultdict[int | None, list[Track]](list)
    for track in run.tracks:
        executed[_thread_of(track)].append(track)
    running = cache(lambda thread: _Intervals(_running(executed[thread])))
    for thread, idle_ns in idle.items():
        of = run.tracks[thread]
        used_by_others = 0
        for other in threads[of.process]:
            apart = other.end_ns <= of.start_ns or of.end_ns <= other.start_ns
            if other is of or apart or other.cpu_ns == 0:
                continue
            both = running(thread).shared_ns(running(other.index))
            used_by_others += both if other.cpu_ns is None else min(both, other.cpu_ns)
            if used_by_others >= idle_ns:
                break
        yield min(idle_ns, used_by_others)


def _running(tracks: Iterable[Track]) -> Iterator[Interval]:
    for track in tracks:
        for start_ns, end_ns, wait in spans_in(track.spans, State.RUNNING):
            if wait.via is None:
                yield start_ns, end_ns


class _Intervals:
    """Merged intervals that make it quick to find how much of them lies between two instants."""

    def __init__(self, intervals: Iterable[Interval]) -> None:
        self._merged = merge(intervals)
        self._starts = [start for start, _ in self._merged]
        self._before = list(accumulate((end - start for start, end in self._merged), initial=0))

    def shared_ns(self, other: _Intervals) -> int:
        """Return how much time is in both."""
        if len(self._merged) > len(other._merged):
            return other.shared_ns(self)
        return sum(other._until(end) - other._until(start) for start, end in self._merged)

    def _until(self, at_ns: int) -> int:
        past = bisect_right(self._starts, at_ns)
        if not past:
            return 0
        start, end = self._merged[past - 1]
        return self._before[past - 1] + min(end, at_ns) - start


def _lanes_running(run: Run) -> dict[int | None, dict[int, int]]:
    """Return thread -> track with lanes -> how long they show it running, without blocking calls."""
    hosted = by_track(run.lanes)
    blocking = _blocking_calls(run, hosted)
    found: defaultdict[int | None, dict[int, int]] = defaultdict(dict)
    for index, lanes in hosted.items():
        running = sum(
            duration
            for state, wait, duration in tally(*pieces(lanes))
            if state is State.RUNNING and wait.via not in hosted
        )
        blocked = 0
        if calls := blocking.get(index):
            open_ = merge((lane.start_ns, lane.end_ns) for lane in lanes)
            blocked = sum(overlap_ns(open_, call) for call in calls)
        found[_thread_of(run.tracks[index])][index] = max(running - blocked, 0)
    return found


def _blocking_calls(run: Run, hosted: Iterable[int]) -> dict[int, list[Interval]]:
    """Return the blocking calls made for each track: by itself, or by a child whose state it shows."""
    if not run.blocking_calls:
        return {}
    shows: dict[int, set[int]] = {index: {index} for index in hosted}
    for lane in run.lanes:
        shows[lane.track].update(wait.via for _, wait in causes_used(lane.spans) if wait.via is not None)
    made_by: defaultdict[int | None, list[Interval]] = defaultdict(list)
    for call in run.blocking_calls:
        made_by[call.track].append((call.start_ns, call.end_ns))
    return {
        index: merge(
            call for track in children for call in made_by[track] if track == index or track not in shows
        )
        for index, children in shows.items()
    }


def _thread_of(track: Track) -> int | None:
    return track.index if track.kind is TrackKind.THREAD else track.thread
