"""What the operating system says of a thread: the CPU time it used, and the time it was kept from running."""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "linux":
    import fcntl

_clock = time.perf_counter_ns  # the real one, also where the script's is virtual
_LOWEST_DESCRIPTOR = 201


class Usage:
    """CPU time of a loop's thread, and the time that the system took from it, up to a moment.

    Linux only: ``pthread_getcpuclockid`` would crash for a thread that has just ended.
    """

    __slots__ = ("_at_ns", "_cpu_ns", "_schedstat", "_stolen_ns", "_thread", "step_ns")

    def __init__(self) -> None:
        self._thread = 0
        self._schedstat = -1
        self._at_ns = 0
        self._cpu_ns: int | None = None
        self._stolen_ns: int | None = None
        self.step_ns = 0
        """The step that was being run at that moment, by its start; not positive: none."""

    def follow(self, native: int) -> None:
        """Measure the thread with this native id from now on."""
        if native == self._thread or sys.platform != "linux":
            return
        self.close()
        self._thread = native
        try:
            low = os.open(f"/proc/self/task/{native}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
            # high, as a script may count on getting the lowest numbers for its own files
            self._schedstat = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
            os.close(low)
        except OSError:
            self._schedstat = -1

    def close(self) -> None:
        if self._schedstat >= 0:
            try:
                os.close(self._schedstat)
            except OSError:
                self._schedstat = -1  # the script has closed it
        self._schedstat = -1

    def read(self, step_ns: int) -> None:
        self._at_ns, self._cpu_ns, self._stolen_ns = _clock(), self._cpu(), self._stolen()
        self.step_ns = step_ns

    def since(self, start_ns: int, end_ns: int) -> tuple[int | None, int]:
        """(CPU time, time stolen) of the step that ends now, as far as is known."""
        if self.step_ns > 0 and self.step_ns != start_ns:
            return None, 0
        cpu_ns, stolen_ns = self._cpu(), self._stolen()
        length = end_ns - start_ns
        used: int | None = None
        taken = 0
        if cpu_ns is not None and self._cpu_ns is not None:
            unseen_ns = max(0, self._at_ns - start_ns)  # the step was young when it was first measured
            used = min(cpu_ns - self._cpu_ns + unseen_ns, length)
        if stolen_ns is not None and self._stolen_ns is not None:
            taken = max(0, min(stolen_ns - self._stolen_ns, length))
        return used, taken

    def _cpu(self) -> int | None:
        if not self._thread:
            return None
        try:
            # the kernel's name for that thread's CPU clock (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED)
            return time.clock_gettime_ns(~self._thread << 3 | 6)
        except OSError:
            return None

    def _stolen(self) -> int | None:
        """How long the thread could have run while the system ran others."""
        if self._schedstat < 0:
            return None
        try:
            return int(os.pread(self._schedstat, 100, 0).split()[1])
        except (OSError, IndexError, ValueError):
            return None
