"""Sums up the steps of tasks while there are too many to report one by one.

A sum covers the steps of a task between two that are reported individually: how many there were, how long the
task ran, and how long it waited for what. The last step, long steps, and the steps before and after a wait
that other parts of the run refer to (in a queue, for a work item, a task or a thread) are reported
individually. So is a step in which something begins or ends whose own figures depend on what its task did
(``settle``).

Not here: when summing begins and when sums are reported (see ``recorder``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

from asyncdemo.capture import wire

_TRACK, _END, _STEPS, _RUNNING, _WAIT = 1, 2, 3, 4, 5
"""Indices into a sum, which is the list of numbers sent for it: ``SUMMED``, then any ``WAITED``."""
_MOST_WAITS = 20
"""Kinds of waits in a sum; the sum of a task with more is reported early."""
_AT_ONCE = 500
"""Sums reported in one go, which takes less than a millisecond."""

Event = tuple[int, int, int, int, int, int]


class StepSums:
    """The sums not yet reported, by track.

    Steps and sums of a track are reported in order, without a lock: a thread gives up the GIL only at calls
    and in loops, and reporting a sum is a single call in C. A step is added to a sum either where no other
    thread can run, or after the sum was taken out of the dictionary.
    """

    def __init__(self, report: Callable[[Sequence[int]], None], slow_ns: int) -> None:
        """``report`` must be a C function. Steps longer than ``slow_ns`` are always reported individually."""
        self.active = False
        """Whether new sums are begun. If not, only those already begun are completed."""
        self.plain_waits = {wire.WAIT_YIELD}
        """Waits of which only the duration matters."""
        self.threads: set[int] = set()
        """The tracks of threads: steps that they wake are reported individually."""
        self.longest_ns = 0
        """Steps longer than this are reported individually, so the longest one always is."""
        self._slow_ns = slow_ns
        self._report = report
        self._open: dict[int, list[int]] = {}
        self.record = self._recording()
        """Adds a step to its sum instead of reporting it."""

    def __len__(self) -> int:
        return len(self._open)

    def settle(self, track: int) -> None:
        """Report a track's sum, and its next step individually. May be called from any thread."""
        if self._open:  # usually there are none, and this is called often
            self._report_all((track,))

    def report(self) -> int:
        """Report all sums. Return how many steps they cover. May be called from any thread."""
        steps, tracks = 0, []
        for track in list(self._open):
            total = self._open.get(track)
            if total is not None and total[_STEPS]:
                steps += total[_STEPS]
                tracks.append(track)
        for start in range(0, len(tracks), _AT_ONCE):
            self._report_all(tracks[start : start + _AT_ONCE])
        return steps

    def _report_all(self, tracks: Sequence[int]) -> None:
        # entirely in C: no other thread can run between the two calls
        deque(map(self._report, map(self._open.pop, tracks, repeat(()))), maxlen=0)

    def clear(self) -> None:
        self.active = False
        self._open.clear()

    def _recording(self) -> Callable[[Event], None]:
        sums, take, report = self._open, self._open.pop, self._report
        plain_waits, threads = self.plain_waits, self.threads

        def record(event: Event) -> None:
            track, ready, start, end, wait, _ = event
            try:
                total = sums[track]
            except KeyError:
                alone(event)
                return
            length = end - start
            # no call and no loop from here until the step is added
            if (
                length <= self.longest_ns
                and (wait == total[5] or wait in plain_waits)
                and (ready <= total[2] or start <= total[2])
            ):
                total[2] = end
                total[3] += 1
                total[4] += length
                total[5] = wait
            elif length > self.longest_ns or wait not in plain_waits:
                self.longest_ns = max(self.longest_ns, min(length, self._slow_ns))
                alone(event)
            else:
                after_waiting(event)

        def after_waiting(event: Event) -> None:
            track, ready, start, end, wait, waker = event
            total: Any = take(track, None)
            if total is None or waker in threads:
                alone(event, total)
                return
            waited = min(ready, start) - total[_END]
            before, woken_by_track = total[_WAIT], waker >= 0
            for at in range(wire.STEP_SIZE, len(total), wire.STEP_SIZE):
                if total[at + 2] == before and (
                    total[at + 3] == waker or (woken_by_track and total[at + 3] >= 0)
                ):
                    total[at + 4] += waited
                    break
            else:
                if len(total) > _MOST_WAITS * wire.STEP_SIZE:
                    alone(event, total)
                    return
                total += (wire.WAITED, track, before, waker, waited, 0)
                total[_TRACK] += 1 << wire.WAITS_SHIFT
            total[_END] = end
            total[_STEPS] += 1
            total[_RUNNING] += end - start
            total[_WAIT] = wait
            sums[track] = total

        def alone(event: Event, total: Any = None) -> None:
            track, _, _, end, wait, _ = event
            total = total or take(track, None)
            if total is not None and total[_STEPS]:
                report(total)
            report(event)
            if self.active and wait in plain_waits:
                sums[track] = [wire.SUMMED, track, end, 0, 0, wait]

        return record
