"""Counts steps and tasks, instead of recording them, while the parent does not keep up.

During such a gap no step of a task is recorded. A task that begins in it is announced only if it outlives the
gap, or if a message or another event names it; the others are counted by function and outcome when they end.
Everything else (limits, queues, slow steps, calls, threads) is recorded as always.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, get_args

from asyncdemo.capture import wire

Event = tuple[int, int, int, int, int, int]

_NAMES_TRACK_AT = {wire.TAKEN: 1, wire.GIVEN_BACK: 1, wire.CALLED: 1, wire.ITEM_QUEUED: 4}
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


class Gap:
    """The current gap, if there is one.

    No lock is needed: a thread gives up the GIL only at calls and in loops, and taking a task out of the
    dictionary and announcing it is a single call in C.
    """

    def __init__(self, definitions: list[Any], numbers: list[int]) -> None:
        """Tasks are added to ``definitions`` as plain tuples of the fields of ``wire.Task``."""
        self.is_open = False
        self._definitions = definitions
        self._numbers = numbers
        self._since_ns = 0
        self._steps = 0
        self._stepped: set[int] = set()
        """Tasks that are not done, and whose steps were not recorded."""
        self.own: set[int] = set()
        """Tasks that the standard library created for its own use: their steps are not counted."""
        self._unannounced: dict[int, tuple[Any, ...]] = {}
        """Track -> the fields of its message ``Task``."""
        self._ended: list[tuple[str, str, str | None]] = []
        """(function, outcome, error) of those that ended since the last report."""

    def begin(self, at_ns: int) -> None:
        """Begin a gap. From now on, steps go to ``count_step``, and new tasks to ``hold``."""
        self._since_ns, self._steps = at_ns, 0
        self._numbers.extend((wire.GAP, at_ns, at_ns, 0, 0, 0))
        self.is_open = True

    def end(self, at_ns: int) -> None:
        """End the gap. Announce the tasks that outlive it, and those whose steps were not recorded."""
        self.is_open = False
        self.announce_all()
        stepped, self._stepped = self._stepped, set()
        for track in stepped:
            self._numbers.extend((wire.UNSEEN, track, self._since_ns, 0, 0, 0))
        self.report(at_ns)

    def report(self, at_ns: int) -> None:
        """Report what was counted so far."""
        self._numbers.extend((wire.GAP, self._since_ns, at_ns, self._steps, 0, 0))
        ended = self._ended[:]
        del self._ended[: len(ended)]
        for (function, outcome, error), count in Counter(ended).items():
            self._definitions.append(wire.TasksCounted(function, outcome, error, count))

    def count_step(self, event: Event) -> None:
        """Count a step instead of recording it."""
        track, is_last = event[0], event[4] == wire.WAIT_DONE
        if track not in self.own:
            self._steps += 1
        elif is_last:
            self.own.discard(track)
        if not is_last:
            self._stepped.add(track)

    def hold(self, *task: Any) -> None:
        """Hold a new task instead of announcing it. ``task`` is the fields of its message ``Task``."""
        self._unannounced[task[0]] = task
        if task[5] in self._unannounced:
            self.announce((task[5],))

    def count_end(self, track: int, outcome: str, error: str | None) -> bool:
        """Count the end of a task. Return False if it was announced, so that its end must be, too."""
        task = self._unannounced.pop(track, None)
        if task is not None:
            self._ended.append((task[2], outcome, error))
            return True
        if track in self._stepped:
            self._stepped.discard(track)
            self._numbers.extend((wire.UNSEEN, track, self._since_ns, 0, 0, 0))
        return False

    @property
    def holds(self) -> bool:
        """Whether any task is held, as one still may be just after the gap."""
        return bool(self._unannounced)

    def announce(self, tracks: Iterable[int | None]) -> None:
        """Announce those of the tasks that are held. May be called from any thread."""
        # entirely in C: no other thread can run in between
        take: Callable[[int | None, None], Any] = self._unannounced.pop  # type: ignore[assignment]
        found = map(take, tracks, repeat(None))
        deque(map(self._definitions.append, filter(None, found)), maxlen=0)

    def announce_all(self) -> None:
        """Announce all tasks that are held."""
        while self._unannounced:
            self.announce(list(self._unannounced))

    def clear(self) -> None:
        """Forget everything: nothing is recorded any more."""
        self.is_open = False
        for held in (self._stepped, self._unannounced, self._ended):
            held.clear()

    def define(self, message: wire.Message) -> None:
        """Record a message, after announcing the held tasks that it names."""
        if self._unannounced:
            fields, many = _NAMING[type(message)]
            if many:
                self.announce_all()
            elif fields:
                named: tuple[Any, ...] = message
                self.announce([named[at] for at in fields])
        self._definitions.append(message)

    def record(self, event: Event) -> None:
        """Record an event other than a step, after announcing the held task that it names."""
        if event[0] in _NAMES_TRACK_AT and self._unannounced:
            self.announce((event[_NAMES_TRACK_AT[event[0]]],))
        self._numbers.extend(event)
