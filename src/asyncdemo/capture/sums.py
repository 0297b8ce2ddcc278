"""Sums up the steps of tasks while there are more than can be told one by one.

What is summed up of a task are its steps between two that are told alone: how many, how long it ran, and
how long it waited for what. Told alone are the last step, those that take long, and those before and after a
wait that something else of the run is found by: in a queue, for a work item, for a task or a thread. So is a
step in which something begins or ends whose own figures are made of what its task did (``settle``).

Not for: when to begin with it, and when to tell the sums (``recorder``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

from asyncdemo.capture import wire

_TRACK, _END, _STEPS, _RUNNING, _WAIT = 1, 2, 3, 4, 5
"""Where in a sum. It is a list of the numbers that it is told as: ``SUMMED``, and some ``WAITED``."""
_MOST_WAITS = 20
"""In a sum: of what waits in more ways it is sooner told."""
_AT_ONCE = 500
"""Sums, which take less than a millisecond."""

Event = tuple[int, int, int, int, int, int]


class StepSums:
    """The sums that are not told yet, by track.

    Steps and sums of a track are told in their order, without a lock: a thread gives the GIL away at calls
    and in loops only. To tell a sum is a single call in C. A step is added to it either between two of these,
    or after the sum was taken out of the dictionary.
    """

    def __init__(self, tell: Callable[[Sequence[int]], None], slow_ns: int) -> None:
        """tell: of C. slow_ns: all steps longer than that are told alone."""
        self.active = False
        """Is what comes summed up? Else only sums that have been begun are completed."""
        self.plain_waits = {wire.WAIT_YIELD}
        """What nothing but the time that it takes is known by."""
        self.threads: set[int] = set()
        """The tracks of threads: those that they wake are told alone."""
        self.longest_ns = 0
        """A step longer than that is told alone. So the longest one always is."""
        self._slow_ns = slow_ns
        self._tell = tell
        self._open: dict[int, list[int]] = {}
        self.record = self._recording()
        """A step, in place of telling it."""

    def __len__(self) -> int:
        return len(self._open)

    def settle(self, track: int) -> None:
        """Tell what is summed up of it, and its next step alone. From any thread."""
        if self._open:  # as a rule there is none, and it is asked often
            self._tell_all((track,))

    def tell(self) -> int:
        """All sums; how many steps those were. From any thread."""
        steps, tracks = 0, []
        for track in list(self._open):
            total = self._open.get(track)
            if total is not None and total[_STEPS]:
                steps += total[_STEPS]
                tracks.append(track)
        for start in range(0, len(tracks), _AT_ONCE):
            self._tell_all(tracks[start : start + _AT_ONCE])
        return steps

    def _tell_all(self, tracks: Sequence[int]) -> None:
        # in C as a whole: no other thread can come between the two calls
        deque(map(self._tell, map(self._open.pop, tracks, repeat(()))), maxlen=0)

    def clear(self) -> None:
        self.active = False
        self._open.clear()

    def _recording(self) -> Callable[[Event], None]:
        sums, take, tell = self._open, self._open.pop, self._tell
        plain_waits, threads = self.plain_waits, self.threads

        def record(event: Event) -> None:
            track, ready, start, end, wait, _ = event
            try:
                total = sums[track]
            except KeyError:
                alone(event)
                return
            length = end - start
            # from here on no call and no loop, until it is added
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
                tell(total)
            tell(event)
            if self.active and wait in plain_waits:
                sums[track] = [wire.SUMMED, track, end, 0, 0, wait]

        return record
