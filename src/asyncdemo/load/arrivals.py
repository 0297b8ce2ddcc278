"""The open loop: each request at its time, whether or not those before it are answered.

Not for: when these times are (``schedule``), how to meet them (``pacing``), what a request is (``engine``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from time import perf_counter_ns

from asyncdemo.load.pacing import Alarm, make_alarm

_BURST = 128
"""So many overdue requests are begun before responses are looked at again."""


class Arrivals:
    """Calls begin with the intended time of each request, and ran_out when there are no more."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        schedule: Iterator[int],
        start_ns: int,
        begin: Callable[[int], None],
        ran_out: Callable[[], None],
        alarm: Callable[[asyncio.AbstractEventLoop, Callable[[], None]], Alarm] = make_alarm,
        now_ns: Callable[[], int] = perf_counter_ns,
    ) -> None:
        """schedule: nanoseconds from start_ns, in order."""
        self._schedule, self._start_ns = schedule, start_ns
        self._begin, self._ran_out, self._now_ns = begin, ran_out, now_ns
        self._due_ns: int | None = None
        self._alarm = alarm(loop, self._ring)
        self._take_next()
        self._set_alarm()

    @property
    def pacing(self) -> str:
        return self._alarm.name

    @property
    def is_over(self) -> bool:
        """Nothing is left of the schedule, or it is closed."""
        return self._due_ns is None

    def close(self) -> None:
        """Nothing is begun any more. May be called twice."""
        self._due_ns = None
        self._alarm.close()

    def _ring(self) -> None:
        """Begin all that is due: also what came due while a burst of responses was read."""
        for _ in range(_BURST):
            due_ns = self._due_ns
            if due_ns is None or due_ns > self._now_ns():
                break
            self._take_next()
            self._begin(due_ns)
        self._set_alarm()

    def _take_next(self) -> None:
        offset_ns = next(self._schedule, None)
        self._due_ns = None if offset_ns is None else self._start_ns + offset_ns

    def _set_alarm(self) -> None:
        if self._due_ns is not None:
            self._alarm.set(self._due_ns)
        else:
            self._ran_out()
