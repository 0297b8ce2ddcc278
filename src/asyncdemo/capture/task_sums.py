"""Sums up short-lived tasks, once so many tasks have ended that not all of them are kept in full.

Such a task is held: its messages and events stay here. If it ends before the next time everything is sent, a
single event says how long it ran and waited, and nothing else leaves the process. It is reported in full, and
like any other task from then on, if another message or event names it, if it waits for something that may
stand out, and when everything is sent.

Not here: steps that come too fast (see ``sums``), and when everything is sent (see ``recorder``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, cycle, islice, repeat
from operator import itemgetter
from typing import Any, get_args

from asyncdemo.capture import wire
from asyncdemo.capture.sums import Event

_STEP = wire.STEP_SIZE
_LAST, _BEFORE_LAST = _STEP, 2 * _STEP
"""Offsets from the end of an ended task's numbers: its last step, and before it the ``ENDED`` event."""
_MOST_NUMBERS = 50 * _STEP
"""A held task with more numbers than this is reported."""
_NOTHING: list[Any] = []
_PARTS = itemgetter(slice(1), slice(1, None))
_MOST_GROUPS = 10_000
"""Groups that are remembered. If every task has a different parent, each makes a new group."""

_TRACK_AT = {wire.TAKEN: 1, wire.GIVEN_BACK: 1, wire.CALLED: 1, wire.ITEM_QUEUED: 4}
"""Where events other than steps name a task."""
_ONE, _MANY = ("track", "parent", "on"), ("tracks", "who", "starved")
"""Fields of messages that name one task, and those that name several, each in its own format."""
_NAMING = {
    kind: (
        tuple(kind._fields.index(name) for name in _ONE if name in kind._fields),
        any(name in kind._fields for name in _MANY),
    )
    for kind in get_args(wire.Message)
}

_Group = tuple[str, int, int | None, int | None, int | None]
"""The fields of ``wire.TaskGroup``, with whether the tasks were cancelled in place of the outcome."""


class _Longest:
    """The longest of a group's tasks. One that exceeds it is reported in full, so the longest always is."""

    __slots__ = ("number", "step_ns", "work_ns")

    def __init__(self) -> None:
        self.number = -1
        """The group's number; -1 until one of its tasks is summed up."""
        self.step_ns = self.work_ns = -1


class TaskSums:
    """The tasks that are held, and the functions that report them.

    No lock is needed, as in ``sums``: a thread gives up the GIL only at calls and in loops, and taking a task
    out of the dictionary and reporting it is a single call in C.
    """

    def __init__(
        self,
        definitions: list[Any],
        numbers: list[int],
        plain_waits: dict[int, tuple[bool, bool]],
        next_number: Callable[[], int],
    ) -> None:
        """Held tasks are added to ``definitions`` as plain tuples.

        ``plain_waits`` are those of which only the duration matters -> (is it waiting, may a task end it).
        """
        self.active = False
        """Whether new tasks are held."""
        self.held: dict[int, list[Any]] = {}
        """Track -> the fields of its message ``Task``, then the numbers of what it did so far."""
        self._definitions = definitions
        self._numbers = numbers
        self._plain_waits = plain_waits
        self._next_number = next_number
        self._groups: dict[_Group, _Longest] = {}
        self.report_step: Callable[[Event], None] = numbers.extend
        """Records a step of a task that is not held."""
        self.record_step = self._recording_steps()

    def hold(self, *task: Any) -> None:
        """Hold a new task instead of reporting it. ``task`` is the fields of its message ``Task``."""
        held = self.held
        held[task[0]] = [task]
        if task[5] in held:
            self.report((task[5],))

    def report(self, tracks: Iterable[int | None]) -> None:
        """Report in full those of the tasks that are held. May be called from any thread."""
        # entirely in C: no other thread can run in between
        take: Callable[[int | None, list[Any]], list[Any]] = self.held.pop  # type: ignore[assignment]
        parts = chain.from_iterable(map(_PARTS, map(take, tracks, repeat(_NOTHING))))
        deque(map(list.extend, cycle((self._definitions, self._numbers)), parts), maxlen=0)

    def report_all(self) -> None:
        while self.held:
            self.report(list(self.held))

    def clear(self) -> None:
        self.active = False
        self.held.clear()

    def define(self, message: wire.Message) -> None:
        """Record a message, after reporting the held tasks that it names."""
        if self.held:
            fields, many = _NAMING[type(message)]
            if many:
                self.report_all()
            elif fields:
                named: tuple[Any, ...] = message
                self.report([named[at] for at in fields])
        self._definitions.append(message)

    def record(self, event: Event) -> None:
        """Record an event other than a step."""
        if self.held:
            if event[0] == wire.ENDED:
                try:
                    held = self.held[event[1]]
                    # no call between the two
                    held += event
                    return
                except KeyError:
                    pass
            elif event[0] in _TRACK_AT:
                self.report((event[_TRACK_AT[event[0]]],))
        self._numbers.extend(event)

    def _recording_steps(self) -> Callable[[Event], None]:
        held, plain_waits, end = self.held, self._plain_waits, self._end

        def record_step(event: Event) -> None:
            try:
                known = held[event[0]]
                # no call between the two
                known += event
            except KeyError:
                self.report_step(event)
                return
            wait = event[4]
            if wait == wire.WAIT_DONE:
                end(event[0])
            elif wait not in plain_waits or len(known) > _MOST_NUMBERS:
                self.report((event[0],))

        return record_step

    def _end(self, track: int) -> None:
        """Replace an ended task's events by a single one, unless the task stands out."""
        known = self.held.pop(track, _NOTHING)
        if not known:  # another thread has reported it
            return
        _, _, function, site, _, parent, made_ns, thread, _ = known[0]
        ended, _, end_ns, cancelled, _, _ = known[-_BEFORE_LAST:-_LAST]
        group = function, cancelled, parent, thread, site
        longest = self._groups.get(group)
        if longest is None:
            if len(self._groups) > _MOST_GROUPS:
                self._groups.clear()
            longest = self._groups[group] = _Longest()
        # the sums include the numbers of the ``ENDED`` event, which are taken out again
        running_ns = sum(known[4::_STEP]) - sum(known[3::_STEP]) - cancelled + end_ns
        waiting_ns, work_ns = 0, running_ns
        if max(known[5::_STEP]) > wire.WAIT_DONE:
            waiting_ns, for_others_ns = self._waiting(track, made_ns, known)
            work_ns += waiting_ns - for_others_ns
        # usually, not even all steps together are longer than the longest one
        step_ns = running_ns if running_ns <= longest.step_ns else _longest_step(made_ns, known)
        if ended != wire.ENDED or step_ns > longest.step_ns or work_ns > longest.work_ns:
            longest.step_ns = max(longest.step_ns, step_ns)
            longest.work_ns = max(longest.work_ns, work_ns)
            self.held[track] = known
            self.report((track,))
            return
        number = longest.number
        if number < 0:
            number = longest.number = self._next_number()
            outcome = "cancelled" if cancelled else "returned"
            self._definitions.append(wire.TaskGroup(number, function, outcome, parent, thread, site))
        number += (len(known) // _STEP - 1) << wire.WAITS_SHIFT
        self._numbers.extend((wire.TASK_SUMMED, number, made_ns, end_ns, running_ns, waiting_ns))

    def _waiting(self, track: int, before_ns: int, known: list[Any]) -> tuple[int, int]:
        """(time waited, of that for other tasks), as ``recording.assembly`` finds it in the same steps."""
        plain_waits = self._plain_waits
        waiting_ns = for_others_ns = 0
        is_waiting, ended_by_lanes = False, False
        for _, ready_ns, start_ns, end_ns, wait, waker in _steps(known):
            if is_waiting:
                waited_ns = min(max(ready_ns, before_ns), start_ns) - before_ns
                waiting_ns += waited_ns
                if ended_by_lanes and waker >= 0 and waker != track:
                    for_others_ns += waited_ns
            before_ns = end_ns
            is_waiting, ended_by_lanes = plain_waits[wait]
        return waiting_ns, for_others_ns


def _steps(known: list[Any]) -> Iterator[tuple[int, ...]]:
    each = islice(known, 1, None)
    return (event for event in zip(each, each, each, each, each, each, strict=True) if event[0] >= 0)


def _longest_step(before_ns: int, known: list[Any]) -> int:
    """The longest step, where steps with nothing between them count as one."""
    longest_ns = step_ns = 0
    for _, _, start_ns, end_ns, _, _ in _steps(known):
        step_ns = end_ns - start_ns + (step_ns if start_ns <= before_ns else 0)
        longest_ns, before_ns = max(longest_ns, step_ns), end_ns
    return longest_ns
