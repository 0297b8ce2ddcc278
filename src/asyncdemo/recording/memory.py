"""How much memory and how many threads the processes of a run have, sampled while they run.

Not for stopping what takes too much of it (``runner``), nor for what a task or a thread costs (``metrics``).
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

from asyncdemo.errors import MissingError
from asyncdemo.model import MemorySample
from asyncdemo.packages import install_command
from asyncdemo.recording.processes import Family

__all__ = ["MemoryMeter"]

_INTERVAL_S = 0.02
_SHARE = 20
"""... but this many times the CPU time of taking one. By the clock a busy machine would stop the sampling."""
_PAUSE_S = 0.1
"""... and no more than this: what a run holds for half a second is seen, however slow the machine is."""
_CENSUS_S = 0.25
"""Where the system does not tell the children of one process, all processes have to be looked at."""


class MemoryMeter:
    """Of one process and its descendants together. Memory that they share counts in each of them."""

    def __init__(self, pid: int, family: Family) -> None:
        """Raises MissingError without psutil."""
        try:
            import psutil
        except ImportError:
            command = install_command("psutil")
            raise MissingError(f"Memory is sampled with psutil, which is not installed: {command}") from None
        self._psutil: Any = psutil
        self._family = family
        self._main = pid
        self._known: dict[int, Any] = {}
        self._with_lens: set[int] = set()
        self._elsewhere: tuple[int, ...] = ()
        self._next_s, self._next_census_s = math.inf, 0.0

    @property
    def wait_s(self) -> float:
        """Until the next sample is due. Only from the first one on, and not after the process has ended."""
        return max(self._next_s - time.monotonic(), 0)

    def leave_out_lens(self, pid: int) -> None:
        """Of this process one thread is the lens' own; it does not count from now on."""
        self._with_lens.add(pid)

    def sample(self) -> MemorySample | None:
        """As of now; None once the process itself is gone."""
        begun_s, at_ns, spent_s = time.monotonic(), time.perf_counter_ns(), time.thread_time()
        pids = [self._main, *self._descendants(begun_s)]
        resident = virtual = threads = 0
        for pid in pids:
            used, count = self._used(pid)
            if used is None or not used.rss:  # it has ended; perhaps nobody has waited for it yet
                self._known.pop(pid, None)
                if pid == self._main:
                    self._next_s = math.inf
                    return None
                continue
            resident, virtual = resident + used.rss, virtual + used.vms
            threads += max(count - (pid in self._with_lens), 1)
        now_s, cost_s = time.monotonic(), time.thread_time() - spent_s
        self._next_s = now_s + max(_INTERVAL_S - (now_s - begun_s), min(_SHARE * cost_s, _PAUSE_S))
        return MemorySample(at_ns, resident, virtual, threads)

    def _used(self, pid: int) -> tuple[Any, int]:
        """(memory, number of threads); (None, 0) if it has ended."""
        try:
            return self._process(pid).memory_info(), self._process(pid).num_threads()
        except self._psutil.Error:
            return None, 0

    def _process(self, pid: int) -> Any:
        if pid not in self._known:
            self._known[pid] = self._psutil.Process(pid)
        return self._known[pid]

    def _descendants(self, now_s: float) -> tuple[int, ...]:
        if self._family.tells_children:
            return self._family.pids
        if now_s >= self._next_census_s:
            with contextlib.suppress(self._psutil.Error):  # it has ended
                self._elsewhere = tuple(one.pid for one in self._process(self._main).children(recursive=True))
            self._next_census_s = now_s + _CENSUS_S
        return self._elsewhere
