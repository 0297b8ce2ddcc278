"""What a trial costs, and what else was running: read before, during and after its window.

Foreign CPU time is all non-idle processor time, including time stolen by the hypervisor, minus that of the
experiment's own processes. Interrupts are left out: loopback traffic causes its own.
Not here: what the load client saw (see ``engines``), or judging it (see ``validity_checks``).
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import psutil

from asyncdemo.lab.results.trial import Memory, Server, System

_INTERVAL_S: Final = 0.25
_SHARE: Final = 20
"""... but at least this many times as long as a sample took: watching many workers must not become a load."""
_UNUSED: Final = ("idle", "iowait", "irq", "softirq")
"""Linux counts idle time exactly but samples programs at its ticks: it misses bursts between two ticks and
counts others whole, so ``user + system`` may be off by a tenth either way.
"""
_RESOURCES: Final = ("cpu", "memory", "io")
_SHORT_S: Final = 1e-6
"""Tolerance for sums of decimal fractions; a system counts in ticks of a hundredth."""
_NETSTAT: Final = Path("/proc/net/netstat")
Pids = Callable[[], Iterable[int]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Counters since some earlier moment; only differences matter."""

    at_s: float
    busy_s: float
    """Summed over all processors."""
    processors: int
    server_cpu_s: Mapping[int, float]
    """Process -> CPU time, including children it has waited for."""
    own_cpu_s: Mapping[int, float]
    """The same for the experiment's other processes; for the lab's own, without its children, which include
    them.
    """
    waited_s: Mapping[int, float] = field(default_factory=dict)
    """Process -> the part of its CPU time that belongs to children it has waited for."""
    parents: Mapping[int, int] = field(default_factory=dict)
    """Parents of all processes that exist, including those that have ended but are not yet reaped."""
    pressure_s: Mapping[str, float] = field(default_factory=dict)
    listen_overflows: int | None = None
    syn_retransmissions: int | None = None


class Machine:
    """Reads from the system."""

    def __init__(self) -> None:
        self._psutil: Any = psutil

    def read(self, server: Sequence[int], own: Sequence[int]) -> Reading:
        """``server`` and ``own`` must list a process before its children."""
        at_s, times = time.monotonic(), self._psutil.cpu_times()
        processors = len(self._psutil.cpu_times(percpu=True))
        unused_s = sum(getattr(times, name, 0.0) for name in _UNUSED)
        network = _network()
        waited_s: dict[int, float] = {}
        parents: dict[int, int] = {}
        return Reading(
            at_s=at_s,
            busy_s=at_s * processors - unused_s,
            processors=processors,
            server_cpu_s=self._cpu_s(server, waited_s, parents),
            own_cpu_s=self._cpu_s(own, waited_s, parents),
            waited_s=waited_s,
            parents=parents,
            pressure_s=_pressure_s(),
            listen_overflows=network.get("ListenOverflows"),
            syn_retransmissions=network.get("TCPSynRetrans"),
        )

    def memory(self, pids: Iterable[int], proportional: bool) -> Memory | None:
        """Return None if none is alive. ``proportional`` takes ms for each process and locks its memory."""
        virtual = resident = 0
        shared: int | None = 0 if proportional else None
        for pid in pids:
            with contextlib.suppress(self._psutil.Error):  # it has ended
                process = self._psutil.Process(pid)
                used = process.memory_full_info() if proportional else process.memory_info()
                virtual, resident = virtual + used.vms, resident + used.rss
                part = getattr(used, "pss", None)
                shared = None if shared is None or part is None else shared + part
        return Memory(virtual, resident, shared) if resident else None

    def not_waited_for(self, pids: Iterable[int]) -> list[int]:
        """Return those that have ended but whose parent has not yet collected their CPU time."""
        found = []
        for pid in pids:
            with contextlib.suppress(self._psutil.Error):  # it is gone
                if self._psutil.Process(pid).status() == self._psutil.STATUS_ZOMBIE:
                    found.append(pid)
        return found

    def _cpu_s(
        self, pids: Sequence[int], waited_s: dict[int, float], parents: dict[int, int]
    ) -> dict[int, float]:
        """Read children first: if one has gone by then, a parent that has waited for it is read later."""
        found = {}
        for pid in reversed(pids):
            with contextlib.suppress(self._psutil.Error):  # it is gone
                process = self._psutil.Process(pid)
                with process.oneshot():
                    times, parent = process.cpu_times(), process.ppid()
                found[pid], parents[pid] = times.user + times.system, parent
                if pid != os.getpid():
                    waited_s[pid] = getattr(times, "children_user", 0.0)
                    waited_s[pid] += getattr(times, "children_system", 0.0)
                    found[pid] += waited_s[pid]
        return found


class Watch:
    """One window: ``begin``, ``sample`` now and then, ``end``."""

    def __init__(self, server: Pids, own: Pids, machine: Machine | None = None) -> None:
        """Both return current processes; ``own`` are the client, the lab itself and the services."""
        self._server, self._own = server, own
        self._machine = machine or Machine()
        self._before: Memory | None = None
        self._most: Memory | None = None
        self._processes = 0
        self._first: Reading | None = None
        self._last: Reading | None = None
        self._next_s = 0.0

    def begin(self) -> None:
        self._before = self._most = self._machine.memory(self._server(), proportional=True)
        self._first = self._last = None
        self._read()

    def sample(self) -> None:
        """Do nothing if the last sample was too recent."""
        if time.monotonic() >= self._next_s:
            self._read()
            self._keep(self._machine.memory(self._server(), proportional=False))

    def end(self) -> tuple[Server, System]:
        """Call this while the server's processes still exist."""
        self._read()
        self._keep(self._machine.memory(self._server(), proportional=True))
        assert self._first is not None and self._last is not None
        server = server_between(self._first, self._last, self._processes, self._before, self._most)
        return server, system_between(self._first, self._last)

    def _read(self) -> None:
        begun_s = time.monotonic()
        server, own = list(self._server()), [os.getpid(), *self._own()]
        listed = {*server, *own}
        if self._last is not None:
            ended = self._machine.not_waited_for(self._last.parents.keys() - listed)
            server += [pid for pid in ended if pid in self._last.server_cpu_s]
            own += [pid for pid in ended if pid in self._last.own_cpu_s]
        reading = self._machine.read(server, [pid for pid in dict.fromkeys(own) if pid not in server])
        self._processes = max(self._processes, len(reading.server_cpu_s.keys() & listed))
        self._first = self._first or reading
        self._last = reading if self._last is None else _remembering(self._last, reading)
        self._next_s = begun_s + max(_INTERVAL_S, _SHARE * (time.monotonic() - begun_s))

    def _keep(self, memory: Memory | None) -> None:
        if memory is None or self._most is None:
            self._most = self._most or memory
            return
        shared = [part for part in (self._most.proportional_bytes, memory.proportional_bytes) if part]
        self._most = Memory(
            max(self._most.virtual_bytes, memory.virtual_bytes),
            max(self._most.resident_bytes, memory.resident_bytes),
            max(shared, default=None),
        )


def server_between(
    first: Reading, last: Reading, processes: int, before: Memory | None, most: Memory | None
) -> Server:
    return Server(_spent_s(first.server_cpu_s, last.server_cpu_s), processes, before, most)


def system_between(first: Reading, last: Reading) -> System:
    wall_s = last.at_s - first.at_s
    own_s = _spent_s(first.server_cpu_s, last.server_cpu_s) + _spent_s(first.own_cpu_s, last.own_cpu_s)
    foreign_s = max(0.0, last.busy_s - first.busy_s - own_s)
    pressure = {
        name: (last.pressure_s[name] - since_s) / wall_s
        for name, since_s in first.pressure_s.items()
        if name in last.pressure_s and wall_s > 0
    }
    return System(
        foreign_cpu=foreign_s / (wall_s * last.processors) if wall_s > 0 else None,
        pressure_cpu=pressure.get("cpu"),
        pressure_memory=pressure.get("memory"),
        pressure_io=pressure.get("io"),
        listen_overflows=_more(first.listen_overflows, last.listen_overflows),
        syn_retransmissions=_more(first.syn_retransmissions, last.syn_retransmissions),
    )


def _spent_s(first: Mapping[int, float], last: Mapping[int, float]) -> float:
    """Count new processes with all they have used. Never below 0, despite rounding."""
    return max(0.0, math.fsum(cpu_s - first.get(pid, 0.0) for pid, cpu_s in last.items()))


def _remembering(earlier: Reading, reading: Reading) -> Reading:
    """Keep the last known CPU time of a process that has ended: its own, or as part of its parent's."""
    inherited = _inherited(earlier, reading)

    def kept(before: Mapping[int, float], now: Mapping[int, float]) -> dict[int, float]:
        return {**before, **dict.fromkeys(before.keys() & inherited, 0.0), **now}

    return replace(
        reading,
        server_cpu_s=kept(earlier.server_cpu_s, reading.server_cpu_s),
        own_cpu_s=kept(earlier.own_cpu_s, reading.own_cpu_s),
    )


def _inherited(earlier: Reading, reading: Reading) -> set[int]:
    """Return processes that have gone and whose CPU time is included in a parent that has waited for them.

    A parent has waited if its children's time has risen by at least as much. It has not if it ignores
    SIGCHLD, if the child was reparented, or on macOS, which doesn't report such time. This is approximate: if
    no parent inherits a child's time, what the child used after it was last seen is lost; and a child counts
    as inherited if unseen short-lived children of the same parent used as much.
    """
    used_s = {**earlier.server_cpu_s, **earlier.own_cpu_s}
    more_s = {pid: waited_s - earlier.waited_s.get(pid, 0.0) for pid, waited_s in reading.waited_s.items()}
    found = set()
    for pid in earlier.parents.keys() - reading.parents.keys():
        heir = earlier.parents[pid]
        while heir in earlier.parents and heir not in reading.parents:  # it has gone, too
            heir = earlier.parents[heir]
        if used_s[pid] <= more_s.get(heir, 0.0) + _SHORT_S:
            more_s[heir] = more_s.get(heir, 0.0) - used_s[pid]
            found.add(pid)
    return found


def _more(first: int | None, last: int | None) -> int | None:
    return None if first is None or last is None else last - first


# -- only on Linux -------------------------------------------------------------------------------------


def _pressure_s() -> dict[str, float]:
    """Return total stall times so far (PSI: "some", total in microseconds)."""
    found = {}
    for name in _RESOURCES:
        with contextlib.suppress(OSError, ValueError):  # another system, or PSI is switched off
            some = Path("/proc/pressure", name).read_text().splitlines()[0]
            found[name] = int(some.rpartition("total=")[2]) / 1e6
    return found


def _network() -> dict[str, int]:
    """Parse TCP counters: a line of names, then a line of numbers."""
    try:
        lines = _NETSTAT.read_text().splitlines()
    except OSError:
        return {}
    for names, numbers in zip(lines[::2], lines[1::2], strict=False):
        if names.startswith("TcpExt:"):
            return dict(zip(names.split()[1:], map(int, numbers.split()[1:]), strict=False))
    return {}
