"""How much memory and how many threads the processes of a run have, sampled while they run.

Not here: stopping processes that use too much (see ``runner``), the cost of a task or thread (``metrics``).
"""

from __future__ import annotations

import math
import time

import psutil

from asyncdemo.model import MemorySample
from asyncdemo.recording.processes import ProcessTree

_INTERVAL_S = 0.02
_SHARE = 20
"""The pause is at least this many times a sample's CPU time: by wall time, a busy machine would end it ..."""
_PAUSE_S = 0.1
"""... but at most this: what a run holds for half a second is seen, however slow the machine is."""


class MemoryMeter:
    """Samples one process and its descendants together. Memory that they share counts for each of them."""

    def __init__(self, pid: int, family: ProcessTree) -> None:
        self._family = family
        self._main = psutil.Process(pid)
        self._with_tracer: set[int] = set()
        self._next_s = math.inf

    @property
    def wait_s(self) -> float:
        """Time until the next sample is due; infinite before the first one and after the process ended."""
        return max(self._next_s - time.monotonic(), 0)

    def leave_out_tracer(self, pid: int) -> None:
        """From now on, do not count one thread of this process, which is the tracer's."""
        self._with_tracer.add(pid)

    def sample(self) -> MemorySample | None:
        """Take a sample now; None once the process itself is gone."""
        begun_s, at_ns, spent_s = time.monotonic(), time.perf_counter_ns(), time.thread_time()
        resident = virtual = threads = 0
        for process in (self._main, *self._family.descendants):
            try:
                used, count = process.memory_info(), process.num_threads()
            except psutil.Error:
                used, count = None, 0
            if used is not None and used.rss:  # otherwise it has ended, perhaps as a zombie
                resident, virtual = resident + used.rss, virtual + used.vms
                threads += max(count - (process.pid in self._with_tracer), 1)
            elif process is self._main:
                self._next_s = math.inf
                return None
        now_s, cost_s = time.monotonic(), time.thread_time() - spent_s
        self._next_s = now_s + max(_INTERVAL_S - (now_s - begun_s), min(_SHARE * cost_s, _PAUSE_S))
        return MemorySample(at_ns, resident, virtual, threads)
