"""Reads a thread's CPU time, and the time it was kept from running, from the operating system."""

from __future__ import annotations

import os
import sys
import time
from collections import deque

if sys.platform == "linux":
    import fcntl

    _fcntl = fcntl.fcntl

_clock = time.perf_counter_ns  # the real one, also where the script's is virtual
# the script may replace them
_clock_gettime_ns, _open, _close, _pread = time.clock_gettime_ns, os.open, os.close, os.pread
_LOWEST_DESCRIPTOR = 201
_KEPT = 4
"""Measurements that are kept: the last one may have been taken after the step in question."""
_STILL_NEW_NS = 5_000_000
_STILL_TRUE_NS = 30_000_000
"""A measurement taken this long before a step, or ``_STILL_NEW_NS`` after its start, says nothing of it."""


class Usage:
    """CPU time of a loop's thread, and the time that the system withheld from it, up to a moment.

    Linux only: ``pthread_getcpuclockid`` would crash for a thread that has just ended.
    """

    __slots__ = ("_measures", "_schedstat", "_thread", "_turns", "step_ns")

    def __init__(self) -> None:
        self._thread = 0
        self._schedstat: list[int] = []
        """The descriptor, if any. A list, because two threads may close it and only one may get it."""
        self._measures: deque[tuple[int, int | None, int | None]] = deque(maxlen=_KEPT)
        self.step_ns = 0
        """The start of the step that was running at the last measurement; not positive: there was none."""
        self._turns = 0, 0
        """(start of a step, how long it has waited for the first turns of threads that it started)."""

    def follow(self, native: int) -> None:
        """Measure the thread with this native id from now on, until ``close``."""
        self.close()
        if sys.platform != "linux":
            return
        self._thread = native
        try:
            low = _open(f"/proc/self/task/{native}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            # high, because a script may count on getting the lowest numbers for its own files
            self._schedstat.append(_fcntl(low, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR))
        except OSError:
            pass  # beyond the limit for this process
        finally:
            _close(low)

    def close(self) -> None:
        try:
            _close(self._schedstat.pop())
        except (IndexError, OSError):
            return  # there is none, or the script has closed it

    def read(self, step_ns: int) -> None:
        """Measure. ``step_ns`` is the start of the step that is running, not positive if there is none."""
        self.step_ns = step_ns
        self._measures.append((_clock(), self._cpu(), self._stolen()))

    def unexplained_ns(self, at_ns: int) -> int:
        """Return a clock that stands still while the thread runs, or the system is known to run others."""
        return at_ns - (self._cpu() or 0) - (self._stolen() or 0)

    def first_turn_took(self, length_ns: int, step_ns: int) -> None:
        """Record how long the step that began then waited, beyond what is known, for a thread it started."""
        before = self._turns[1] if self._turns[0] == step_ns else 0
        self._turns = step_ns, before + max(0, length_ns)

    def since(self, start_ns: int, end_ns: int) -> tuple[int | None, int]:
        """Return (CPU time, time stolen) of the step that ends now, as far as is known."""
        cpu_ns, stolen_ns = self._cpu(), self._stolen()
        near = (m for m in reversed(self._measures) if -_STILL_TRUE_NS < m[0] - start_ns < _STILL_NEW_NS)
        _, cpu_before, stolen_before = next(near, (0, None, None))
        length = end_ns - start_ns
        used = None if cpu_ns is None or cpu_before is None else min(cpu_ns - cpu_before, length)
        stolen = self._turns[1] if self._turns[0] == start_ns else 0
        if stolen_ns is not None and stolen_before is not None:
            stolen += stolen_ns - stolen_before
        return used, max(0, min(stolen, length))

    def _cpu(self) -> int | None:
        if not self._thread:
            return None
        try:
            # the kernel's name for that thread's CPU clock (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED)
            return _clock_gettime_ns(~self._thread << 3 | 6)
        except OSError:
            return None

    def _stolen(self) -> int | None:
        """How long the thread could have run while the system ran others."""
        try:
            return int(_pread(self._schedstat[0], 100, 0).split()[1])
        except (OSError, IndexError, ValueError):
            return None
