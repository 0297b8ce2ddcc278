"""Limit the number of spans of a long run, by keeping only how long each state lasted in stretches of time.

It also makes spans of what a process with too many steps reports as sums (``capture.sums``).

The order of states within a stretch is lost; every sum stays the same. Kept as they are: the spans of threads
(what those did outside Python is found out later), spans longer than a stretch, spans that queued for
something, waits for threads and their work, and spans in which a call that is a lane, the handling of a
request, or a wait for a child task begins or ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from asyncdemo.model import TrackKind
from asyncdemo.recording.assembly.records import TrackRecord
from asyncdemo.recording.assembly.spans import StepSum

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly

MOST_SPANS = 2_000_000
_SPANS_A_STEP = 3
_SPANS_A_STRETCH = 8
"""The usual maximum for a lane in one stretch; half of the limit is then used."""
_LEAST_NS = 1_000_000
_LONG_WAIT_NS = 10_000_000
"""Waits this long are looked up by their time later."""
_MOST_WAKES = 2_000_000


class Coarsening:
    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._new_steps = 0
        self._check_at = MOST_SPANS
        self._stretch_ns = 0
        self._until_ns = 0
        self._wakes_from_ns = 0
        self._summed_steps = 0
        """Steps that were reported together."""
        self._summed_from_ns = self._summed_until_ns = 0

    def add(self, track: TrackRecord, step_sum: StepSum) -> list[tuple[int, int, int]]:
        """Add steps that were reported together; return (start_ns, state, wait) of their spans."""
        if not self._summed_steps:
            self._summed_from_ns = track.ended_ns
        spans = track.spans.add_sum(track.ended_ns, step_sum)
        track.ended_ns = spans[-1][0]
        track.steps += step_sum.steps
        self._summed_steps += step_sum.steps
        self._summed_until_ns = max(self._summed_until_ns, track.ended_ns)
        return spans

    def count_steps(self, steps: int) -> None:
        """Count recorded steps, and check the number of spans from time to time."""
        self._new_steps += steps
        if self._new_steps * _SPANS_A_STEP >= self._check_at:
            self._new_steps = 0
            self._check_size()

    def _check_size(self) -> None:
        tracks = self._assembly.tracks
        count = sum(len(track.spans) for track in tracks.values())
        if count > MOST_SPANS:
            self._coarsen()
            count = sum(len(track.spans) for track in tracks.values())
        # If little could be saved, there is no point in trying again soon.
        self._check_at = max(MOST_SPANS - count, count, MOST_SPANS // 4)
        if len(self._assembly.wakes) > _MOST_WAKES:
            self._wakes_from_ns = self._assembly.wakes.forget_first(_MOST_WAKES // 2)

    def _coarsen(self) -> None:
        assembly = self._assembly
        begun_ns = min(track.start_ns for track in assembly.tracks.values())
        busy = sum(len(track.spans) > _SPANS_A_STRETCH for track in assembly.tracks.values())
        wanted_ns = 2 * _SPANS_A_STRETCH * busy * (assembly.now_ns - begun_ns) // MOST_SPANS
        self._stretch_ns = max(wanted_ns, self._stretch_ns, _LEAST_NS)
        self._until_ns = assembly.now_ns
        fixed = self._fixed()
        edges = self._edges()
        for index, track in assembly.tracks.items():
            if len(track.spans) > _SPANS_A_STRETCH and track.kind is TrackKind.TASK:
                track.spans.coarsen(self._stretch_ns, _LONG_WAIT_NS, fixed, edges.get(index, ()))

    def _fixed(self) -> frozenset[int]:
        """Return the causes of waits that other things are looked up by."""
        assembly = self._assembly
        return frozenset(
            index
            for index, cause in enumerate(assembly.causes.table)
            if index in assembly.item_waits
            or cause.reason == "task"
            or (
                cause.on is not None
                and (track := assembly.tracks.get(cause.on)) is not None
                and track.kind is TrackKind.THREAD
            )
        )

    def _edges(self) -> dict[int, Sequence[int]]:
        """Return track -> when calls and handlings on it begin and end, in order."""
        edges: defaultdict[int, list[int]] = defaultdict(list)
        assembly = self._assembly
        opened = [(lane.track, lane.start_ns, lane.end_ns) for lane in assembly.lanes.values()]
        for handlings in assembly.requests.handlings.values():
            opened += [(handling.track, handling.start_ns, handling.end_ns) for handling in handlings]
        for track, start_ns, end_ns in opened:
            edges[track].append(start_ns)
            if end_ns is not None:
                edges[track].append(end_ns)
        self._add_borrowed(edges)
        for times in edges.values():
            times.sort()
        return dict(edges)

    def _add_borrowed(self, edges: defaultdict[int, list[int]]) -> None:
        """Add the waits for child tasks: the lane shows what the child does meanwhile."""
        tracks = self._assembly.tracks
        children: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for index, cause in enumerate(self._assembly.causes.table):
            child = tracks.get(cause.on) if cause.reason == "task" and cause.on is not None else None
            if child is not None and child.parent in tracks and cause.on is not None:
                children[child.parent][index] = cause.on
        for parent, by_cause in children.items():
            starts, _, waits = tracks[parent].spans.columns
            for at, wait in enumerate(waits):
                if wait not in by_cause:
                    continue
                awaited = by_cause[wait]
                edges[awaited] += starts[at : at + 2]
                if at == len(waits) - 1:
                    # The wait continues: if the task has ended, it did so in its last step.
                    edges[awaited].append(tracks[awaited].ended_ns - 1)

    def notes(self, origin_ns: int) -> tuple[str, ...]:
        notes = []
        if self._summed_steps:
            from_s, until_s = ((ns - origin_ns) / 1e9 for ns in (self._summed_from_ns, self._summed_until_ns))
            notes.append(
                f"From {from_s:.2f} s to {until_s:.2f} s, steps came too fast to record each one: "
                f"{self._summed_steps:,} are recorded as totals for each lane. Their order, and what woke "
                "what, isn't known. Sums, peaks and counts are exact."
            )
        if self._until_ns:
            notes.append(
                f"Up to {(self._until_ns - origin_ns) / 1e9:.2f} s, the states of a lane are summed over "
                f"intervals of {self._stretch_ns / 1e6:.1f} ms, because there were too many to keep. Sums, "
                "peaks and counts are exact."
            )
        if self._wakes_from_ns:
            from_s = (self._wakes_from_ns - origin_ns) / 1e9
            notes.append(f"What woke what is known only from {from_s:.2f} s on.")
        return tuple(notes)
