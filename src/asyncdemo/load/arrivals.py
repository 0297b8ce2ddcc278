"""The open loop: when each request is due, whether or not earlier ones are answered.

Not here: an alarm at these times (see ``pacing``), or the requests (see ``engine``).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from itertools import count
from time import perf_counter_ns

from asyncdemo.load.pacing import Alarm, make_alarm
from asyncdemo.load.plan import Plan

_SECOND_NS = 1_000_000_000
_BURST = 128
"""How many overdue requests are started before responses are read again."""


def arrivals_ns(plan: Plan) -> Iterator[int]:
    """Yield when each request is due, in nanoseconds from the start, in order.

    Raises ValueError for a closed loop, where the answers decide.
    """
    if plan.rate is None:
        raise ValueError("a closed loop has no schedule")
    offsets = (
        _poisson(plan.rate, random.Random(plan.seed)) if plan.arrivals == "poisson" else _uniform(plan.rate)
    )
    end_ns = None if plan.duration_s is None else plan.duration_s * _SECOND_NS
    for number, offset_ns in enumerate(offsets):
        if plan.requests is not None and number >= plan.requests:
            return
        if end_ns is not None and offset_ns >= end_ns:
            return
        yield offset_ns


def _uniform(rate: float) -> Iterator[int]:
    # computed from the number, not as a sum of intervals: rounding must not add up over a million requests
    return (round(number * _SECOND_NS / rate) for number in count())


def _poisson(rate: float, draw: random.Random) -> Iterator[int]:
    due_s = 0.0
    while True:
        due_s += draw.expovariate(rate)
        yield round(due_s * _SECOND_NS)


class Arrivals:
    """Calls ``begin`` with the intended time of each request, and ``ran_out`` after the last one."""

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
        """``schedule`` is in nanoseconds from ``start_ns``, in order."""
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
        """Whether the schedule is used up, or this is closed."""
        return self._due_ns is None

    def close(self) -> None:
        """Start no more requests. May be called twice."""
        self._due_ns = None
        self._alarm.close()

    def _ring(self) -> None:
        """Start all that is due, including what came due while a burst of responses was read."""
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
