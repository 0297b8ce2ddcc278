"""Bound what is kept of a long run: the oldest spans go, and what ended before is only counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from asyncdemo.model import CountedLanes, Outcome
from asyncdemo.recording.assembly.records import TrackRecord
from asyncdemo.recording.assembly.script import Script

MOST_SPANS: Final = 2_000_000
_SPANS_A_STEP: Final = 3
_SPANS_A_TRACK: Final = 100
"""A track takes as much memory as this many spans, so at most 20,000 are kept."""
_SAMPLED: Final = 16
"""One in this many spans is looked at to find the middle of the run."""

_Key = tuple[str, Outcome, str | None]
"""(function, outcome, error)"""


class Window:
    """The part of the run that is kept, which ends now."""

    def __init__(
        self, tracks: Mapping[int, TrackRecord], script: Script, forget: Callable[[int], None]
    ) -> None:
        self._tracks = tracks
        self._script = script
        self.forgets = [forget]
        """Each drops what ended before a time."""
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
                self.complete_from_ns = max(middle_ns, self.complete_from_ns or 0)
                for forget in self.forgets:
                    forget(middle_ns)
                kept = self._size()
            # If little could be dropped, there is no point in trying again soon.
            self._added, self._check_at = 0, max(MOST_SPANS - kept, MOST_SPANS // 4)

    def _size(self) -> int:
        spans = sum(len(track.spans) for track in self._tracks.values())
        return spans + _SPANS_A_TRACK * len(self._tracks)

    def _middle(self) -> int:
        """Return the time before which about half of what is kept began.

        Not later than what all processes have sent: the end of a task may be known before its steps.
        """
        starts: list[int] = []
        for number, track in enumerate(self._tracks.values()):
            starts += track.spans.columns[0][number % _SAMPLED :: _SAMPLED]
            if number % _SAMPLED == 0:
                starts += [track.start_ns] * _SPANS_A_TRACK
        starts.sort()
        sent_ns = (process.numbers_ns for process in self._script.processes.values() if not process.gone)
        return min(starts[len(starts) // 2], min(sent_ns, default=self._script.now_ns))
