"""A clock that jumps to the next timer instead of waiting for it.

For scripts that use only asyncio and ``time.sleep``: events keep their order and waits their length, but take
no time, and are the same on every machine. As soon as something of the real world is outstanding (a thread, a
socket, a subprocess), the clock goes on in real time for the rest of the run, and reports it.
"""

from __future__ import annotations

import selectors
import subprocess
import time
from asyncio import base_events
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import callables
from asyncdemo.capture.instrument import Patches, on_entry
from asyncdemo.capture.loops.handles import is_handle

READ_COSTS_NS = 1_000
"""The clock advances by this each time the script reads it, so that a spin loop ends."""
_BEGIN_NS = 1_000_000_000
"""Not zero: the tracer takes a start at zero for no step."""
_LEAST_NS = 1
_MOST_TURNS = 2_000
"""Iterations at one time in which a loop finds something ready. After these, each advances the clock by the
cost of a read: tasks that wait for less than a float can tell from now would go round forever."""
_LOOK_EVERY = 5_000
"""After this many reads the watchdog looks which line spins, as spinning takes no real time."""


class Deadlock(Exception):
    """Nothing is outstanding and no timer is set: no task can ever go on."""


class VirtualClock:
    def __init__(self, on_real: Callable[[str], None], on_deadlock: Callable[[], None]) -> None:
        """``on_real(why)`` is called once, when the clock changes to real time."""
        self._real_sleep = time.sleep
        self._real_ns = time.perf_counter_ns
        self._epoch_ns = time.time_ns()
        self._at_ns = _BEGIN_NS
        self._real_since: int | None = None
        self._on_real = on_real
        self._on_deadlock = on_deadlock
        self._reads = 0
        self._turns = 0
        self._turned_at_ns = _BEGIN_NS
        self.on_spin: Callable[[], None] = lambda: None

    def now_ns(self) -> int:
        if self._real_since is None:
            return self._at_ns
        return self._at_ns + self._real_ns() - self._real_since

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
            self._at_ns += round(seconds * 1e9)

    def jump(self, seconds: float) -> None:
        if seconds > 0:
            self._at_ns += max(_LEAST_NS, round(seconds * 1e9))

    def turn(self) -> None:
        """Note that a loop did not have to wait."""
        if self._turned_at_ns != self._at_ns:
            self._turned_at_ns = self._at_ns
            self._turns = 0
        self._turns += 1
        if self._turns >= _MOST_TURNS:
            self._at_ns += READ_COSTS_NS

    @property
    def is_virtual(self) -> bool:
        return self._real_since is None

    def go_real(self, why: str) -> None:
        if self._real_since is None:
            self._real_since = self._real_ns()
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


def _reads_own_pipe(callback: Any) -> bool:
    code = callables.code(callables.innermost(callback))
    return code is not None and code.co_name == "_read_from_self"
