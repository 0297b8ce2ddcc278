"""Sums up tasks that end soon after they were made, once so many have ended that others are not kept whole.

Such a task is held: what there is to tell of it stays here. If it ends before everything is sent the next
time, one event says how long it ran and waited, and nothing else leaves the process. It is told whole, and
from then on as any other, when anything else that is told names it, when it waits for what may stand out, and
when everything is sent.

Not for: steps that come too fast (``sums``), nor for when everything is sent (``recorder``).
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
"""From the end: where the last step of a task lies that has ended, and before it that it has."""
_MOST_NUMBERS = 50 * _STEP
"""Of a task: it is told then."""
_NOTHING: list[Any] = []
_PARTS = itemgetter(slice(1), slice(1, None))
_MOST_GROUPS = 10_000
"""Whose numbers are kept: tasks with a parent of their own each make ever more."""

_TRACK_AT = {wire.TAKEN: 1, wire.GIVEN_BACK: 1, wire.CALLED: 1, wire.ITEM_QUEUED: 4}
"""The events besides steps that name a task: where."""
_ONE, _MANY = ("track", "parent", "on"), ("tracks", "who", "starved")
"""The fields of messages that name a task, and those that name several in ways of their own."""
_NAMING = {
    kind: (
        tuple(kind._fields.index(name) for name in _ONE if name in kind._fields),
        any(name in kind._fields for name in _MANY),
    )
    for kind in get_args(wire.Message)
}

_Group = tuple[str, int, int | None, int | None, int | None]
"""What ``wire.TaskGroup`` says of it; whether it was cancelled."""


class _Longest:
    """Of the tasks of a group. Any that exceeds it is told whole, so the longest of all always is."""

    __slots__ = ("number", "step_ns", "work_ns")

    def __init__(self) -> None:
        self.number = -1
        """Of the group; -1 until one of it is summed up."""
        self.step_ns = self.work_ns = -1


class TaskSums:
    """The tasks that are held, and the ways of telling by which they become known.

    Without a lock, as in ``sums``: a thread gives the GIL away at calls and in loops only. To take a task out
    of the dictionary and to tell it is a single call in C.
    """

    def __init__(
        self,
        definitions: list[Any],
        numbers: list[int],
        plain_waits: dict[int, tuple[bool, bool]],
        next_number: Callable[[], int],
    ) -> None:
        """definitions: what is held is added to it as the plain tuple that it is.

        plain_waits: what nothing but the time that it takes is known by. Is it waiting, may a task end it?
        """
        self.active = False
        """Are new tasks held?"""
        self.held: dict[int, list[Any]] = {}
        """By track: the fields of its message ``Task``, then the numbers of what it did so far."""
        self._definitions = definitions
        self._numbers = numbers
        self._plain_waits = plain_waits
        self._next_number = next_number
        self._groups: dict[_Group, _Longest] = {}
        self.tell_step: Callable[[Event], None] = numbers.extend
        """A step of any other task."""
        self.record_step = self._recording_steps()

    def hold(self, *task: Any) -> None:
        """In place of telling that the task was made. task: the fields of that message."""
        held = self.held
        held[task[0]] = [task]
        if task[5] in held:
            self.tell((task[5],))

    def tell(self, tracks: Iterable[int | None]) -> None:
        """Those of them that are held, whole. From any thread."""
        # in C as a whole: no other thread can come between
        take: Callable[[int | None, list[Any]], list[Any]] = self.held.pop  # type: ignore[assignment]
        told = chain.from_iterable(map(_PARTS, map(take, tracks, repeat(_NOTHING))))
        deque(map(list.extend, cycle((self._definitions, self._numbers)), told), maxlen=0)

    def tell_all(self) -> None:
        while self.held:
            self.tell(list(self.held))

    def clear(self) -> None:
        self.active = False
        self.held.clear()

    def define(self, message: wire.Message) -> None:
        """A message, after those whose tasks it names."""
        if self.held:
            fields, many = _NAMING[type(message)]
            if many:
                self.tell_all()
            elif fields:
                named: tuple[Any, ...] = message
                self.tell([named[at] for at in fields])
        self._definitions.append(message)

    def record(self, event: Event) -> None:
        """Anything but a step."""
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
                self.tell((event[_TRACK_AT[event[0]]],))
        self._numbers.extend(event)

    def _recording_steps(self) -> Callable[[Event], None]:
        held, plain_waits, end = self.held, self._plain_waits, self._end

        def record_step(event: Event) -> None:
            try:
                known = held[event[0]]
                # no call between the two
                known += event
            except KeyError:
                self.tell_step(event)
                return
            wait = event[4]
            if wait == wire.WAIT_DONE:
                end(event[0])
            elif wait not in plain_waits or len(known) > _MOST_NUMBERS:
                self.tell((event[0],))

        return record_step

    def _end(self, track: int) -> None:
        """What follows its last step: one event in place of all, unless the task stands out."""
        known = self.held.pop(track, _NOTHING)
        if not known:  # another thread has told it
            return
        _, _, function, site, _, parent, made_ns, thread, _ = known[0]
        ended, _, end_ns, cancelled, _, _ = known[-_BEFORE_LAST:-_LAST]
        group = function, cancelled, parent, thread, site
        longest = self._groups.get(group)
        if longest is None:
            if len(self._groups) > _MOST_GROUPS:
                self._groups.clear()
            longest = self._groups[group] = _Longest()
        # the numbers of the end of the task, which are among them, taken out again
        running_ns = sum(known[4::_STEP]) - sum(known[3::_STEP]) - cancelled + end_ns
        waiting_ns, work_ns = 0, running_ns
        if max(known[5::_STEP]) > wire.WAIT_DONE:
            waiting_ns, for_others_ns = self._waiting(track, made_ns, known)
            work_ns += waiting_ns - for_others_ns
        # as a rule not even all steps together are longer than the longest one
        step_ns = running_ns if running_ns <= longest.step_ns else _longest_step(made_ns, known)
        if ended != wire.ENDED or step_ns > longest.step_ns or work_ns > longest.work_ns:
            longest.step_ns = max(longest.step_ns, step_ns)
            longest.work_ns = max(longest.work_ns, work_ns)
            self.held[track] = known
            self.tell((track,))
            return
        number = longest.number
        if number < 0:
            number = longest.number = self._next_number()
            outcome = "cancelled" if cancelled else "returned"
            self._definitions.append(wire.TaskGroup(number, function, outcome, parent, thread, site))
        number += (len(known) // _STEP - 1) << wire.WAITS_SHIFT
        self._numbers.extend((wire.TASK_SUMMED, number, made_ns, end_ns, running_ns, waiting_ns))

    def _waiting(self, track: int, before_ns: int, known: list[Any]) -> tuple[int, int]:
        """How long it waited, and for other tasks; as ``recording.assembly`` finds it in the same steps."""
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
    """Those between which nothing is are one."""
    longest_ns = step_ns = 0
    for _, _, start_ns, end_ns, _, _ in _steps(known):
        step_ns = end_ns - start_ns + (step_ns if start_ns <= before_ns else 0)
        longest_ns, before_ns = max(longest_ns, step_ns), end_ns
    return longest_ns
