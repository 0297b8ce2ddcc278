"""The open loop: when each request is due, whether or not earlier ones are answered, and an alarm then.

An event loop's own timers are too coarse: epoll and libuv wait in whole milliseconds, rounded up, so a
request would be sent up to 1 ms late, which would count as server latency. Linux has timerfd; elsewhere the
loop spins for the last moment.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Protocol

from asyncdemo.load.plan import Plan

_SECOND_NS = 1_000_000_000
_BURST = 128
"""How many overdue requests are started before responses are read again."""
_SPIN_NS = 2_000_000
"""Longer than a loop's timer is ever late because of its resolution."""
_ABSOLUTE_TIME = 1


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


class Alarm(Protocol):
    """Calls ``ring`` once for each `set`, at its time or as soon after as the loop gets to it."""

    name: str

    def set(self, due_ns: int) -> None:
        """Set the ``perf_counter_ns`` time to ring, replacing the previous one. A past time rings
        immediately.
        """

    def close(self) -> None:
        """Stop ringing. May be called twice."""


def make_alarm(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> Alarm:
    """Return the best alarm for this system."""
    if TimerfdAlarm.is_supported():
        return TimerfdAlarm(loop, ring)
    return SpinningAlarm(loop, ring)


class _Moment(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Setting(ctypes.Structure):
    _fields_ = (("interval", _Moment), ("initial", _Moment))


class TimerfdAlarm:
    """Linux: the kernel rings at the nanosecond, and the loop sees it as a readable file descriptor.

    It is the C library's (<sys/timerfd.h>), because Python has it only from 3.13 on.
    """

    name = "timerfd"

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop, self._ring = loop, ring
        library = ctypes.CDLL(None, use_errno=True)
        self._fd: int = library.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self._settime = library.timerfd_settime
        self._setting = _Setting()
        self._pointer = ctypes.byref(self._setting)
        loop.add_reader(self._fd, self._expired)

    @staticmethod
    def is_supported() -> bool:
        # an absolute time means the same to both only if they use the same clock
        clock = time.get_clock_info("perf_counter").implementation
        return sys.platform == "linux" and clock == "clock_gettime(CLOCK_MONOTONIC)"

    def set(self, due_ns: int) -> None:
        initial = self._setting.initial
        # zero would disarm it; one is just as far in the past
        initial.seconds, initial.nanoseconds = divmod(max(1, due_ns), _SECOND_NS)
        if self._settime(self._fd, _ABSOLUTE_TIME, self._pointer, None):
            raise OSError(ctypes.get_errno(), "timerfd_settime")

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _expired(self) -> None:
        try:
            os.read(self._fd, 8)
        except BlockingIOError:
            return  # it was set again in the meantime, and has not expired after all
        self._ring()


class SpinningAlarm:
    """Anywhere: a timer of the loop for most of the wait, then the loop spins.

    It costs up to 2 ms of CPU for each ring, which shows in `Result.cpu_s`.
    """

    name = "spin"

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop, self._ring = loop, ring
        self._due_ns = 0
        self._handle: asyncio.Handle | None = None

    def set(self, due_ns: int) -> None:
        self.close()
        self._due_ns = due_ns
        self._wait()

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _wait(self) -> None:
        left_ns = self._due_ns - time.perf_counter_ns()
        if left_ns > _SPIN_NS:
            self._handle = self._loop.call_later((left_ns - _SPIN_NS) / _SECOND_NS, self._wait)
        elif left_ns > 0:
            self._handle = self._loop.call_soon(self._wait)
        else:
            # never from within `set`: ``ring`` calls `set` again, and many past times would recurse
            self._handle = self._loop.call_soon(self._ring_now)

    def _ring_now(self) -> None:
        self._handle = None
        self._ring()


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
        now_ns: Callable[[], int] = time.perf_counter_ns,
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
