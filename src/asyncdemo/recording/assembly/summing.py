"""Sum up tasks that have ended, once there are too many to keep each of them.

The first ones are kept whole, and so is every task that something else in the run refers to. For most of the
others, their process reports only sums (``capture.task_sums``).
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from asyncdemo.capture import wire
from asyncdemo.model import CoarseSpans, Outcome, State, SummedTasks, TrackKind
from asyncdemo.recording.assembly.records import TrackRecord
from asyncdemo.recording.assembly.spans import pieces

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly

MOST_WHOLE = wire.MOST_WHOLE


@dataclass(slots=True)
class _Sum:
    starts: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    steps: int = 0
    by_state: list[int] = field(default_factory=lambda: [0] * len(State))
    longest_step_ns: int = 0
    longest_work_ns: int = 0


_Key = tuple[str, Outcome, int | None, int | None, int | None]
"""(function, outcome, parent, thread, site)"""


class Summing:
    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._ended: deque[int] = deque()
        self._whole = 0
        self._received_ns: dict[int, int] = {}
        self._sums: dict[_Key, _Sum] = {}
        self._groups: dict[int, _Sum] = {}
        """By the number that their process has given them."""
        self.late_steps = 0
        """Steps of tasks that had already been summed up."""

    def __bool__(self) -> bool:
        return bool(self._sums)

    def task_ended(self, index: int, track: TrackRecord) -> None:
        if track.kind is TrackKind.TASK and not track.own:
            self._ended.append(index)

    def advance(self, process: int, now_ns: int) -> None:
        """Note that a process has sent its events up to now; sum up what had ended by the previous call."""
        complete_ns = self._received_ns.get(process, 0)
        self._received_ns[process] = now_ns
        tracks, ended = self._assembly.tracks, self._ended
        while ended:
            track = tracks[ended[0]]
            if track.process.number == process and (track.closed_ns or 0) >= complete_ns:
                return
            index = ended.popleft()
            if self._whole < MOST_WHOLE:
                self._whole += 1
            elif self._add(track):
                del tracks[index]
                self._assembly.live_feed.forget(index)

    def add_group(self, group: int, key: _Key) -> None:
        """Expect sums for this group of tasks."""
        self._groups[group] = self._sums.setdefault(key, _Sum())

    def add(
        self, group: int, start_ns: int, end_ns: int, running_ns: int, waiting_ns: int, steps: int
    ) -> None:
        """Add a task without further details: neither its steps nor its work exceed those of all others."""
        total = self._groups[group]
        total.starts.append(start_ns)
        total.ends.append(end_ns)
        total.steps += steps
        by_state = total.by_state
        by_state[State.RUNNING] += running_ns
        by_state[State.WAITING] += waiting_ns
        by_state[State.READY] += end_ns - start_ns - running_ns - waiting_ns

    def _add(self, track: TrackRecord) -> bool:
        """Sum up a track; return False if others refer to it, or what it waited for may matter."""
        closed_ns = track.closed_ns
        if track.referred or track.waits_for_items or closed_ns is None:
            return False
        if State.QUEUED in track.spans.columns[1]:
            return False
        key = track.function, track.outcome, track.parent, track.thread, track.site
        total = self._sums.get(key)
        if total is None:
            total = self._sums[key] = _Sum()
        causes = self._assembly.causes.table
        coarse = track.spans.coarse or CoarseSpans(0, 0, 0)
        longest_ns, work_ns = coarse.longest_step_ns, 0
        for start_ns, end_ns, state, wait in pieces(track.spans.build(closed_ns, causes)):
            length_ns = end_ns - start_ns
            total.by_state[state] += length_ns
            if state == State.RUNNING and start_ns >= coarse.until_ns:
                longest_ns = max(longest_ns, length_ns)
            if state == State.RUNNING or (state == State.WAITING and causes[wait].on is None):
                work_ns += length_ns
        total.longest_step_ns = max(total.longest_step_ns, longest_ns)
        total.longest_work_ns = max(total.longest_work_ns, work_ns)
        total.starts.append(track.start_ns)
        total.ends.append(closed_ns)
        total.steps += track.steps
        return True

    def build(self, order: Mapping[int, int]) -> tuple[SummedTasks, ...]:
        """Return the sums. ``order`` is track -> its index in the run."""
        return tuple(
            SummedTasks(
                function=function,
                outcome=outcome,
                starts_ns=tuple(total.starts),
                ends_ns=tuple(total.ends),
                steps=total.steps,
                running_ns=total.by_state[State.RUNNING],
                ready_ns=total.by_state[State.READY],
                waiting_ns=total.by_state[State.WAITING],
                longest_step_ns=total.longest_step_ns,
                longest_work_ns=total.longest_work_ns,
                parent=None if parent is None else order.get(parent),
                thread=None if thread is None else order.get(thread),
                site=self._assembly.site(site),
            )
            for (function, outcome, parent, thread, site), total in self._sums.items()
            if total.starts  # a process may end after announcing a group and before sending its sums
        )

    def notes(self) -> tuple[str, ...]:
        by_function: Counter[str] = Counter()
        for (function, *_), total in self._sums.items():
            by_function[function] += len(total.starts)
        many = by_function.total()
        if not many:
            return ()
        which = ", ".join(f"{count:,} of {function}()" for function, count in by_function.items() if count)
        note = (
            f"Only the first {MOST_WHOLE:,} tasks that ended are drawn, and others that stand out. The "
            f"remaining {many:,} are recorded as totals ({which}), which all figures include."
        )
        late = f"{self.late_steps:,} of their steps arrived too late to be counted."
        return (note, late) if self.late_steps else (note,)
