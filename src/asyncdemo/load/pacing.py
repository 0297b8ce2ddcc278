"""An alarm that rings at a given nanosecond, beside the event loop's other work.

An event loop's own timers are no use for that: epoll and libuv wait in whole milliseconds, rounded up, so
a request is sent up to 1 ms late, which then counts as latency of the server. Linux has timerfd; anywhere
else the loop is kept turning for the last moment.
Not for: what is due when (``schedule``).
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

_SECOND_NS = 1_000_000_000
_SPIN_NS = 2_000_000
"""Longer than a loop's timer is ever late because of its resolution."""


class Alarm(Protocol):
    """ring is called once for each `set`, at its time or as soon after as the loop comes to it."""

    name: str

    def set(self, due_ns: int) -> None:
        """On the clock of ``time.perf_counter_ns``; replaces what was set. What is past rings at once."""

    def close(self) -> None:
        """It does not ring any more. May be called twice."""


def make_alarm(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> Alarm:
    """The best that this system has."""
    if TimerfdAlarm.is_supported():
        return TimerfdAlarm(loop, ring)
    return SpinningAlarm(loop, ring)


class TimerfdAlarm:
    """Linux: the kernel rings at the nanosecond, and the loop hears it like any other file descriptor."""

    name = "timerfd"

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop, self._ring = loop, ring
        self._timer: _Timer = _OsTimer() if hasattr(os, "timerfd_create") else _LibcTimer()
        loop.add_reader(self._timer.fd, self._expired)

    @staticmethod
    def is_supported() -> bool:
        # an absolute time means the same to both only if they are one clock
        clock = time.get_clock_info("perf_counter").implementation
        return sys.platform == "linux" and clock == "clock_gettime(CLOCK_MONOTONIC)"

    def set(self, due_ns: int) -> None:
        # zero would disarm it; one is as past as zero
        self._timer.set(max(1, due_ns))

    def close(self) -> None:
        if self._timer.fd >= 0:
            self._loop.remove_reader(self._timer.fd)
            os.close(self._timer.fd)
            self._timer.fd = -1

    def _expired(self) -> None:
        try:
            os.read(self._timer.fd, 8)
        except BlockingIOError:
            return  # set anew in the meantime: it has not expired after all
        self._ring()


class SpinningAlarm:
    """Anywhere: a timer of the loop for most of the wait, then the loop turns without sleeping.

    It costs up to 2 ms of a CPU for each ring, which `Result.cpu_s` tells.
    """

    name = "spin"

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        ring: Callable[[], None],
        now_ns: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._loop, self._ring, self._now_ns = loop, ring, now_ns
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
        left_ns = self._due_ns - self._now_ns()
        if left_ns > _SPIN_NS:
            self._handle = self._loop.call_later((left_ns - _SPIN_NS) / _SECOND_NS, self._wait)
        elif left_ns > 0:
            self._handle = self._loop.call_soon(self._wait)
        else:
            # never from within `set`: whoever rings sets the next one, however many are past
            self._handle = self._loop.call_soon(self._ring_now)

    def _ring_now(self) -> None:
        self._handle = None
        self._ring()


class _Timer(Protocol):
    fd: int

    def set(self, due_ns: int) -> None: ...


class _OsTimer:
    """Python 3.13 and later have it."""

    def __init__(self) -> None:
        system: Any = os  # typed for the oldest Python, which has none of this
        self.fd: int = system.timerfd_create(
            time.CLOCK_MONOTONIC, flags=system.TFD_NONBLOCK | system.TFD_CLOEXEC
        )
        self._settime = system.timerfd_settime_ns
        self._flags = system.TFD_TIMER_ABSTIME

    def set(self, due_ns: int) -> None:
        self._settime(self.fd, flags=self._flags, initial=due_ns)


class _Moment(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Setting(ctypes.Structure):
    _fields_ = (("interval", _Moment), ("initial", _Moment))


class _LibcTimer:
    """The same by the C library; the numbers are those of Linux' <sys/timerfd.h>."""

    _ABSOLUTE_TIME = 1

    def __init__(self) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self.fd: int = library.timerfd_create(1, os.O_NONBLOCK | os.O_CLOEXEC)  # 1: CLOCK_MONOTONIC
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self._settime = library.timerfd_settime
        self._setting = _Setting()
        self._pointer = ctypes.byref(self._setting)

    def set(self, due_ns: int) -> None:
        initial = self._setting.initial
        initial.seconds, initial.nanoseconds = divmod(due_ns, _SECOND_NS)
        if self._settime(self.fd, self._ABSOLUTE_TIME, self._pointer, None):
            raise OSError(ctypes.get_errno(), "timerfd_settime")
