"""An alarm that rings at a given nanosecond, alongside the event loop's other work.

An event loop's own timers are too coarse: epoll and libuv wait in whole milliseconds, rounded up, so a
request would be sent up to 1 ms late, which would count as server latency. Linux has timerfd; elsewhere the
loop spins for the last moment.
Not here: what is due when (see ``schedule``).
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import time
from collections.abc import Callable
from typing import Protocol

_SECOND_NS = 1_000_000_000
_SPIN_NS = 2_000_000
"""Longer than a loop's timer is ever late because of its resolution."""
_ABSOLUTE_TIME = 1


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
