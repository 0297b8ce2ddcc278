"""Delays callbacks of asyncio's loops under the virtual clock: a busy machine on demand.

A loop runs its callbacks in the order in which they became ready, and its timers in the order in which they
are due. What varies from machine to machine is how long everything takes. So time passes here before a
callback, and nothing else changes: asyncio could have produced any order that results.
Not here: which schedules are tried (see ``asyncdemo.serving.schedules``).
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from typing import Any

from asyncdemo.capture.loops.virtual_clock import VirtualClock

MOST_NS = 1_000_000_000
"""No delay is longer."""
_SHARES = (0.1, 0.25, 0.5)
"""The share of callbacks that are delayed; each schedule draws one of these."""
_TIMERS = 4
"""A delay passes at most this many of the timers that are set."""
_ROUND_NS = 1_000_000


class Delays:
    """``plan`` is a seed to draw delays from, or the delays: number of the callback -> nanoseconds.

    ``tell(callback, length_ns, at_ns)`` is called for each delay.
    """

    def __init__(
        self, plan: int | dict[int, int], clock: VirtualClock, tell: Callable[[int, int, int], None]
    ) -> None:
        self._clock = clock
        self._tell = tell
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
            self._tell(number, length_ns, clock.now_ns())
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
        beyond = [at_ns - now_ns for at_ns in due if 0 < at_ns - now_ns < MOST_NS]
        if not beyond:
            return 0
        drawn = self._random.choice(beyond) * self._random.uniform(0.1, 1.3)
        if drawn > _ROUND_NS:
            drawn = round(drawn / _ROUND_NS) * _ROUND_NS
        return min(int(drawn), MOST_NS)


class _Ready(deque[Any]):
    """A loop's queue of callbacks. Time may pass before one is taken out of it to be run."""

    def __init__(self, loop: Any, delays: Delays) -> None:
        super().__init__(loop._ready)
        self._loop = loop
        self._delays = delays

    def popleft(self) -> Any:
        self._delays.before_callback(self._loop)
        return super().popleft()
