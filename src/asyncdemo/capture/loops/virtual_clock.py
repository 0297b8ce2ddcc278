"""A clock that jumps to the next timer instead of waiting for it.

For scripts that use only asyncio and ``time.sleep``: events keep their order and waits their length, but take
no time, and are the same on every machine. As soon as something of the real world is outstanding (a thread, a
socket, a subprocess), the clock continues in real time for the rest of the run, and reports it.
"""

from __future__ import annotations

import heapq
import random
import selectors
import subprocess
import time
from asyncio import base_events, events
from collections import deque
from collections.abc import Callable, Iterator
from itertools import repeat, starmap
from operator import attrgetter
from typing import Any

from asyncdemo.capture import callables
from asyncdemo.capture.instrument import Patches, on_entry
from asyncdemo.capture.loops.handles import is_handle

READ_COSTS_NS = 1_000
"""The clock advances by this each time the script reads it, so that a spin loop ends."""
_BEGIN_NS = 1_000_000_000
"""Not zero: the tracer takes a start at zero for no step."""
_LEAST_NS = 1
_MOST_TURNS, _MOST_TURNS_WITHOUT_TIMERS = 20_000, 400_000
"""Iterations of loops, between two waits, in which something is ready. After these, each advances the clock,
by the cost of a read first: tasks that wait for less than a float can tell from now, or that poll, would go
round forever. If no timer is set, probably nothing waits for the clock, and all of them are work."""
_SPIN_TURNS = 5_000
"""After this many more, and each time again, an iteration takes twice as long. So up to about forty
thousand of them take less time than on a real machine, and no spin takes long."""
_LONGEST_TURN_NS = 1_000_000_000
_LOOK_EVERY = 5_000
"""After this many reads the watchdog looks which line spins, as spinning takes no real time."""


class Deadlock(Exception):
    """Nothing is pending and no timer is set: no task can ever continue."""


_running_loop = events._get_running_loop
_at_ns_of, _reading_of = attrgetter("_at_ns"), attrgetter("_reading")


class VirtualClock:
    def __init__(self, on_real: Callable[[str], None], on_deadlock: Callable[[], None]) -> None:
        """``on_real(why)`` is called once, when the clock changes to real time."""
        self._real_sleep = time.sleep
        self._real_ns = time.perf_counter_ns
        self._epoch_ns = time.time_ns()
        self._at_ns = _BEGIN_NS
        self._real_since: int | None = None
        self._reading: Iterator[int] = map(_at_ns_of, repeat(self))
        self._on_real = on_real
        self._on_deadlock = on_deadlock
        self._reads = 0
        self._turns = 0
        self.on_spin: Callable[[], None] = lambda: None

    def now_ns(self) -> int:
        if self._real_since is None:
            return self._at_ns
        return self._at_ns + self._real_ns() - self._real_since

    def times(self) -> Iterator[int]:
        """Return an iterator that reads the clock each time it is advanced, in C."""
        return map(next, map(_reading_of, repeat(self)))

    def now_s(self) -> float:
        return self.now_ns() / 1e9

    def read_ns(self) -> int:
        if self._real_since is None:
            self._at_ns += READ_COSTS_NS
            self._reads += 1
            if self._reads >= _LOOK_EVERY:
                self._reads = 0
                self.on_spin()
        return self.now_ns()

    def read_s(self) -> float:
        return self.read_ns() / 1e9

    def sleep(self, seconds: float) -> None:
        if self._real_since is not None or seconds < 0 or not isinstance(seconds, (int, float)):
            self._real_sleep(seconds)
        else:
            self._turns = 0
            self._at_ns += round(seconds * 1e9)

    def jump(self, seconds: float) -> None:
        if seconds > 0:
            self._turns = 0
            self._at_ns += max(_LEAST_NS, round(seconds * 1e9))

    def turn(self) -> None:
        """Note that a loop did not have to wait."""
        self._turns += 1
        if self._turns < _MOST_TURNS:
            return
        beyond = self._turns - (_MOST_TURNS if _has_timers() else _MOST_TURNS_WITHOUT_TIMERS)
        if beyond >= 0:
            self._at_ns += min(READ_COSTS_NS << beyond // _SPIN_TURNS, _LONGEST_TURN_NS)

    @property
    def is_virtual(self) -> bool:
        return self._real_since is None

    def go_real(self, why: str) -> None:
        if self._real_since is None:
            self._real_since = since_ns = self._real_ns()
            self._reading = map((self._at_ns - since_ns).__add__, starmap(self._real_ns, repeat(())))
            self._on_real(why)

    def install(self, patches: Patches) -> None:
        clock = self

        class Selector(selectors.DefaultSelector):
            """Waits for timers by moving the clock."""

            def select(self, timeout: float | None = None) -> Any:
                ready = super().select(0)
                if ready or timeout == 0:
                    clock.turn()
                    return ready
                if clock.is_virtual and self._only_own_pipe():
                    if timeout is None:
                        clock._on_deadlock()
                        return super().select(None)
                    clock.jump(timeout)
                    return ready
                clock.go_real("a socket is open")
                return super().select(timeout)

            def _only_own_pipe(self) -> bool:
                return all(
                    is_handle(key.data[0]) and _reads_own_pipe(key.data[0]._callback)
                    for key in self.get_map().values()
                    if type(key.data) is tuple
                )

        patches.set(selectors, "DefaultSelector", Selector)
        patches.set(base_events.BaseEventLoop, "time", lambda loop: clock.now_s())
        for name, function in (
            ("monotonic", self.read_s),
            ("monotonic_ns", self.read_ns),
            ("perf_counter", self.read_s),
            ("perf_counter_ns", self.read_ns),
            ("time", lambda: clock._epoch_ns / 1e9 + clock.read_s()),
            ("time_ns", lambda: clock._epoch_ns + clock.read_ns()),
        ):
            patches.set(time, name, function)
        patches.rewrite(
            subprocess, "Popen.__init__", lambda _: clock.go_real("a subprocess was started"), on_entry
        )


def _has_timers() -> bool:
    """Return whether the running loop has any, or may have."""
    return bool(getattr(_running_loop(), "_scheduled", True))


def _reads_own_pipe(callback: Any) -> bool:
    code = callables.code(callables.innermost(callback))
    return code is not None and code.co_name == "_read_from_self"


# -- schedules: a busy machine on demand -----------------------------------------------------------

_MOST_NS = 1_000_000_000
"""No delay is longer."""
_SHARES = (0.1, 0.25, 0.5)
"""The share of callbacks that are delayed; each schedule draws one of these."""
_TIMERS = 4
"""A delay passes at most this many of the timers that are set."""
_ROUND_NS = 1_000_000


class Delays:
    """Delays callbacks of asyncio's loops.

    A loop runs its callbacks in the order in which they became ready, and its timers in the order in which
    they are due. What varies from machine to machine is how long everything takes. So time passes here before
    a callback, and nothing else changes: asyncio could have produced any order that results.

    ``plan`` is a seed to draw delays from, or the delays: number of the callback -> nanoseconds.

    ``report(callback, length_ns, at_ns)`` is called for each delay.
    """

    def __init__(
        self, plan: int | dict[int, int], clock: VirtualClock, report: Callable[[int, int, int], None]
    ) -> None:
        self._clock = clock
        self._report = report
        self._callbacks = 0
        self._given = plan if isinstance(plan, dict) else None
        self._random = random.Random(None if isinstance(plan, dict) else plan)
        self._share = self._random.choice(_SHARES)

    def watch(self, loop: Any) -> None:
        """Delay the callbacks of a loop from now on, if it is one of asyncio's own."""
        if type(getattr(loop, "_ready", None)) is deque:
            loop._ready = _Ready(loop, self)

    def before_callback(self, loop: Any) -> None:
        number, self._callbacks = self._callbacks, self._callbacks + 1
        clock = self._clock
        if not clock.is_virtual:
            return
        length_ns = self._drawn(loop) if self._given is None else self._given.get(number, 0)
        if length_ns > 0:
            self._report(number, length_ns, clock.now_ns())
            clock.jump(length_ns / 1e9)
            state = loop._asyncdemo
            if state is not None:
                state.ended_ns = 0  # the step does not begin where the one before it ended

    def _drawn(self, loop: Any) -> int:
        """Draw a delay that may pass one of the next timers. Without a timer it would change nothing."""
        if not loop._scheduled or self._random.random() >= self._share:
            return 0
        now_ns = self._clock.now_ns()
        due = [int(timer._when * 1e9) for timer in heapq.nsmallest(_TIMERS, loop._scheduled)]
        beyond = [at_ns - now_ns for at_ns in due if 0 < at_ns - now_ns < _MOST_NS]
        if not beyond:
            return 0
        drawn = self._random.choice(beyond) * self._random.uniform(0.1, 1.3)
        if drawn > _ROUND_NS:
            drawn = round(drawn / _ROUND_NS) * _ROUND_NS
        return min(int(drawn), _MOST_NS)


class _Ready(deque[Any]):
    """A loop's queue of callbacks. Time may pass before one is taken out of it to be run."""

    def __init__(self, loop: Any, delays: Delays) -> None:
        super().__init__(loop._ready)
        self._loop = loop
        self._delays = delays

    def popleft(self) -> Any:
        self._delays.before_callback(self._loop)
        return super().popleft()
