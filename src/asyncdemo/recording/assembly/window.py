"""Bound what is kept of a long run: the oldest spans go, and what ended before is only counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from asyncdemo.model import CountedLanes, Outcome
from asyncdemo.recording.assembly.records import LaneRecord, TrackRecord

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly

MOST_SPANS: Final = 2_000_000
_SPANS_A_STEP: Final = 3
_SPANS_A_TRACK: Final = 100
"""A track takes as much memory as this many spans, so at most 20,000 are kept."""
_SAMPLED: Final = 16
"""One of so many spans is looked at to find the middle of the run."""

_Key = tuple[str, Outcome, str | None]
"""(function, outcome, error)"""


class Window:
    """The part of the run that is kept, which ends now."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._added = 0
        """At least the number of spans that were added since the last check."""
        self._check_at = MOST_SPANS
        self.complete_from_ns: int | None = None
        """Since when everything is kept; None if nothing was dropped."""
        self._counted: Counter[_Key] = Counter()
        self._steps: Counter[_Key] = Counter()
        self._late_steps = 0

    def add_steps(self, count: int) -> None:
        """Count steps, and drop the oldest spans if there are too many."""
        self._add(count * _SPANS_A_STEP)

    def add_track(self) -> None:
        """Count a new track, and drop the oldest spans if there are too many."""
        self._add(_SPANS_A_TRACK)

    def count(self, function: str, outcome: Outcome, error: str | None, count: int, steps: int = 0) -> None:
        """Count lanes that are not kept."""
        self._counted[function, outcome, error] += count
        self._steps[function, outcome, error] += steps

    def count_late_step(self, track: int) -> None:
        """Count a step that arrives after its task was dropped. Raise KeyError if no task was."""
        if self.complete_from_ns is None:
            raise KeyError(track)
        self._late_steps += 1

    def counted(self) -> tuple[CountedLanes, ...]:
        """Return what was counted, in the order in which it appeared."""
        lanes = [
            CountedLanes(*key, count=count, steps=self._steps[key]) for key, count in self._counted.items()
        ]
        if lanes and self._late_steps:
            lanes[0] = replace(lanes[0], steps=lanes[0].steps + self._late_steps)
        return tuple(lanes)

    def _add(self, spans: int) -> None:
        self._added += spans
        if self._added >= self._check_at:
            kept = self._size()
            if kept > MOST_SPANS and (middle_ns := self._middle()) > 0:
                self._forget_before(middle_ns)
                kept = self._size()
            # If little could be dropped, there is no point in trying again soon.
            self._added, self._check_at = 0, max(MOST_SPANS - kept, MOST_SPANS // 4)

    def _size(self) -> int:
        tracks = self._assembly.tracks
        return sum(len(track.spans) for track in tracks.values()) + _SPANS_A_TRACK * len(tracks)

    def _middle(self) -> int:
        """Return the time before which about half of what is kept began.

        Not later than what all processes have sent: the end of a task may be known before its steps.
        """
        starts: list[int] = []
        for number, track in enumerate(self._assembly.tracks.values()):
            starts += track.spans.columns[0][number % _SAMPLED :: _SAMPLED]
            if number % _SAMPLED == 0:
                starts += [track.start_ns] * _SPANS_A_TRACK
        starts.sort()
        sent_ns = (process.numbers_ns for process in self._assembly.processes.values() if not process.gone)
        return min(starts[len(starts) // 2], min(sent_ns, default=self._assembly.now_ns))

    def _forget_before(self, at_ns: int) -> None:
        assembly = self._assembly
        self.complete_from_ns = max(at_ns, self.complete_from_ns or 0)
        for index, track in list(assembly.tracks.items()):
            if track.closed_ns is not None and track.closed_ns < at_ns:
                self._drop_track(index, track)
            else:
                track.spans.forget_before(at_ns)
                track.ended_ns = max(track.ended_ns, at_ns)  # nothing is added before that
        for number, lane in list(assembly.lanes.items()):
            if lane.end_ns is not None and lane.end_ns < at_ns:
                self._drop_lane(number, lane)
        for slots in assembly.slots.values():
            slots[:] = [held for held in slots if held.end_ns is None or held.end_ns >= at_ns]
        for levels in assembly.levels.values():
            levels[:] = _since(levels, at_ns)
        for number, item in list(assembly.items.items()):
            if item.done_ns is not None and item.done_ns < at_ns:
                del assembly.items[number]
        assembly.pauses[:] = [pause for pause in assembly.pauses if pause.end_ns >= at_ns]
        assembly.wakes.forget_before(at_ns)

    def _drop_track(self, index: int, track: TrackRecord) -> None:
        del self._assembly.tracks[index]
        self._assembly.pending.discard(index)
        self._assembly.live_feed.forget(index)
        if not track.own and not track.hosts_loop and not self._assembly.named:
            self.count(track.function, track.outcome, track.error, 1, track.steps)

    def _drop_lane(self, number: int, lane: LaneRecord) -> None:
        del self._assembly.lanes[number]
        self.count(lane.function, lane.outcome, lane.error, 1)


def _since(levels: list[tuple[int, int]], at_ns: int) -> Iterable[tuple[int, int]]:
    """Return the levels from the one that held at that time on."""
    before = sum(at < at_ns for at, _ in levels)
    return levels[max(before - 1, 0) :]
