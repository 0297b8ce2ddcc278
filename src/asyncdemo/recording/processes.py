"""A child process with all its descendants: find them, sample their memory and threads, kill them.

Descendants are found by their parents while these live, and by their session or the run's token in their
environment afterwards. So one that leaves its parent, its session and its environment before the next look is
missed.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator

import psutil

from asyncdemo.capture import wire
from asyncdemo.model import MemorySample

_PERSISTENCE_S = 3.0
"""How long to keep killing processes that start new ones."""
_HAS_PROC = os.path.exists("/proc/self/task")
_SAMPLE_S = 0.02
_SAMPLE_SHARE = 20
"""A pause is at least this many times a sample's CPU time: by wall time, a busy machine would end it ..."""
_PAUSE_S = 0.1
"""... but at most this: what a run holds for half a second is seen, however slow the machine is."""


class ProcessTree:
    """A process and its descendants, including those that have left its group or session.

    A process that ``refresh`` has seen stays known, even if its parent changes.
    """

    def __init__(self, process: subprocess.Popen[bytes], token: str) -> None:
        self._process = process
        self._token = token
        self._seen: tuple[psutil.Process, ...] = ()

    def refresh(self) -> int:
        """Update the known descendants; return how many there are."""
        here = dict.fromkeys(filter(_is_alive, self._seen))
        pending = [*here, *self._main()]
        while pending:
            for child in _children(pending.pop()):
                # Processes are equal if pid and start time are the same: pids are reused.
                if child not in here:
                    here[child] = None
                    pending.append(child)
        self._seen = tuple(here)
        return len(here)

    @property
    def descendants(self) -> tuple[psutil.Process, ...]:
        """The descendants that ``refresh`` last saw, each before its children."""
        return self._seen

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(process.pid for process in self._seen)

    def uses_more_than(self, limit_bytes: int) -> bool:
        """Return whether all together do; shared memory counts once, if the system reports it."""
        here = [*self._seen, *self._main()]
        if sum(map(_resident, here)) <= limit_bytes:
            return False
        return len(here) == 1 or sum(map(_proportional, here)) > limit_bytes

    def survivors(self) -> set[psutil.Process]:
        """Return what is left of it, once the process itself has been waited for."""
        self.refresh()
        return {*self._seen, *_with_token(self._token), *_group_of_ended(self._process.pid)}

    def end(self) -> None:
        """Kill all of them and wait for the process itself. May be called twice."""
        self.refresh()
        if self._process.poll() is None:  # otherwise its pid may have been reused
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
        self._process.wait()
        deadline = time.monotonic() + _PERSISTENCE_S
        while time.monotonic() < deadline:
            left = self.survivors()
            if not left:
                return
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()  # raises if the pid has been reused
            time.sleep(0.01)

    def _main(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.Error):
            if self._process.poll() is None:
                return [psutil.Process(self._process.pid)]
        return []


class MemoryMeter:
    """Samples one process and its descendants together. Memory that they share counts for each of them."""

    def __init__(self, pid: int, process_tree: ProcessTree) -> None:
        self._process_tree = process_tree
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
        for process in (self._main, *self._process_tree.descendants):
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
        self._next_s = now_s + max(_SAMPLE_S - (now_s - begun_s), min(_SAMPLE_SHARE * cost_s, _PAUSE_S))
        return MemorySample(at_ns, resident, virtual, threads)


def _is_alive(process: psutil.Process) -> bool:
    """Return whether it is alive: neither ended nor a zombie, and its pid not reused."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _living(pids: Iterable[int]) -> Iterator[psutil.Process]:
    for pid in pids:
        with contextlib.suppress(psutil.Error):  # it has ended
            if _is_alive(process := psutil.Process(pid)):
                yield process


def _children(parent: psutil.Process) -> Iterator[psutil.Process]:
    found: list[int] = []
    if _HAS_PROC:  # psutil would go through all processes, which takes many times as long
        with contextlib.suppress(OSError):  # it has ended
            for thread in os.listdir(f"/proc/{parent.pid}/task"):
                with open(f"/proc/{parent.pid}/task/{thread}/children", "rb") as file:
                    found += map(int, file.read().split())
    else:
        with contextlib.suppress(psutil.Error):
            found = [child.pid for child in parent.children()]
    return _living(found)


def _group_of_ended(leader: int) -> Iterator[psutil.Process]:
    """Return what is left of the group and session of a process that has been waited for.

    The system does not reuse its pid before these are gone, so if the pid is in use, there are none.
    """
    members = [pid for pid in psutil.pids() if leader in _groups(pid)]
    return _living(members if leader not in members else ())


def _groups(pid: int) -> tuple[int, ...]:
    try:
        return os.getpgid(pid), os.getsid(pid)
    except OSError:  # it has ended
        return ()


def _with_token(token: str) -> Iterator[psutil.Process]:
    for pid in psutil.pids() if token else ():  # an empty token would be in every environment
        with contextlib.suppress(psutil.Error):  # it has ended, or belongs to another user
            process = psutil.Process(pid)
            if token in process.environ().get(wire.ENV, "") and pid != os.getpid() and _is_alive(process):
                yield process


def _resident(process: psutil.Process) -> int:
    """Return the bytes in memory; 0 if the process is gone."""
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _proportional(process: psutil.Process) -> int:
    """Return the bytes in memory, with only its share of shared memory if the system reports that."""
    try:
        return int(getattr(process.memory_full_info(), "pss", 0)) or _resident(process)
    except psutil.Error:
        return _resident(process)
