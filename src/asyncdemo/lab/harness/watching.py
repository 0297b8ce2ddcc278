"""What a trial costs, and what else went on meanwhile: read before, during and after its window.

CPU time of others is all in which the processors were not idle, so also what the hypervisor took, without
what the experiment's own processes used. Interrupts are left out: those of a load over the loopback are its
own.
Not for: what the load client saw (``engines``), or judging it (``validity_checks``).
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
"""... but so many times what one sample took: watching many workers must not become a load of its own."""
_UNUSED: Final = ("idle", "iowait", "irq", "softirq")
"""Linux counts idle time exactly, but samples what programs do at its ticks: bursts between two ticks are
lost, others count whole, and ``user + system`` may be off by a tenth either way."""
_RESOURCES: Final = ("cpu", "memory", "io")
_SHORT_S: Final = 1e-6
"""What sums of decimal fractions may be off by; a system counts ticks of a hundredth."""
_NETSTAT: Final = Path("/proc/net/netstat")
Pids = Callable[[], Iterable[int]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything counts from some moment before; differences are what matters."""

    at_s: float
    busy_s: float
    """Of all processors."""
    processors: int
    server_cpu_s: Mapping[int, float]
    """Process -> CPU time, with that of children it has waited for."""
    own_cpu_s: Mapping[int, float]
    """The other processes of the experiment; with their children, too, but for the lab's own process, which
    waits for those of all the others."""
    waited_s: Mapping[int, float] = field(default_factory=dict)
    """Process -> the part of the above that is of children it has waited for."""
    parents: Mapping[int, int] = field(default_factory=dict)
    """Of all that are there, also of those that have ended and nobody has waited for."""
    pressure_s: Mapping[str, float] = field(default_factory=dict)
    listen_overflows: int | None = None
    syn_retransmissions: int | None = None


class Machine:
    """Asks the system."""

    def __init__(self) -> None:
        self._psutil: Any = psutil

    def read(self, server: Sequence[int], own: Sequence[int]) -> Reading:
        """A process comes before its children in them."""
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
        """None if none of them lives. proportional: takes milliseconds a process and locks its memory."""
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
        """Those that have ended, and whose CPU time no parent has yet."""
        found = []
        for pid in pids:
            with contextlib.suppress(self._psutil.Error):  # it is gone
                if self._psutil.Process(pid).status() == self._psutil.STATUS_ZOMBIE:
                    found.append(pid)
        return found

    def _cpu_s(
        self, pids: Sequence[int], waited_s: dict[int, float], parents: dict[int, int]
    ) -> dict[int, float]:
        """Children first: whoever is gone by then, a parent that has waited for it is read later."""
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
        """server, own: as they are now; own are the client, the lab itself and the services."""
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
        """Does nothing if the last one was a moment ago."""
        if time.monotonic() >= self._next_s:
            self._read()
            self._keep(self._machine.memory(self._server(), proportional=False))

    def end(self) -> tuple[Server, System]:
        """The server's processes must still be there."""
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
    """A process that came meanwhile counts with all it has used. Never below 0, whatever was rounded."""
    return max(0.0, math.fsum(cpu_s - first.get(pid, 0.0) for pid, cpu_s in last.items()))


def _remembering(earlier: Reading, reading: Reading) -> Reading:
    """What a process had used when it was last seen stays counted after its end: there, or by its parent."""
    inherited = _inherited(earlier, reading)

    def kept(before: Mapping[int, float], now: Mapping[int, float]) -> dict[int, float]:
        return {**before, **dict.fromkeys(before.keys() & inherited, 0.0), **now}

    return replace(
        reading,
        server_cpu_s=kept(earlier.server_cpu_s, reading.server_cpu_s),
        own_cpu_s=kept(earlier.own_cpu_s, reading.own_cpu_s),
    )


def _inherited(earlier: Reading, reading: Reading) -> set[int]:
    """Processes that are gone since, whose CPU time is in that of the parent that has waited for them.

    Whether it has waited is seen by its children's time, which must have risen by as much: it has not if
    it ignores SIGCHLD, if the child lost its parent and has another one, or on macOS, which tells no such
    time. Approximately: of a child that nobody inherits, what it used after it was last seen is lost; and it
    counts as inherited if other children of the same parent, which came and went unseen, used as much.
    """
    used_s = {**earlier.server_cpu_s, **earlier.own_cpu_s}
    more_s = {pid: waited_s - earlier.waited_s.get(pid, 0.0) for pid, waited_s in reading.waited_s.items()}
    found = set()
    for pid in earlier.parents.keys() - reading.parents.keys():
        heir = earlier.parents[pid]
        while heir in earlier.parents and heir not in reading.parents:  # it is gone as well
            heir = earlier.parents[heir]
        if used_s[pid] <= more_s.get(heir, 0.0) + _SHORT_S:
            more_s[heir] = more_s.get(heir, 0.0) - used_s[pid]
            found.add(pid)
    return found


def _more(first: int | None, last: int | None) -> int | None:
    return None if first is None or last is None else last - first


# -- what only Linux tells ---------------------------------------------------------------------------


def _pressure_s() -> dict[str, float]:
    """How long something has waited so far (PSI: "some", total in microseconds)."""
    found = {}
    for name in _RESOURCES:
        with contextlib.suppress(OSError, ValueError):  # another system, or PSI is switched off
            some = Path("/proc/pressure", name).read_text().splitlines()[0]
            found[name] = int(some.rpartition("total=")[2]) / 1e6
    return found


def _network() -> dict[str, int]:
    """The counters of TCP: a line of names, then one of numbers."""
    try:
        lines = _NETSTAT.read_text().splitlines()
    except OSError:
        return {}
    for names, numbers in zip(lines[::2], lines[1::2], strict=False):
        if names.startswith("TcpExt:"):
            return dict(zip(names.split()[1:], map(int, numbers.split()[1:]), strict=False))
    return {}
