"""What a trial costs, and what else was running: read before, during and after its window.

Foreign CPU time is all non-idle processor time, including time stolen by the hypervisor, minus that of the
experiment's own processes. Interrupts are left out: loopback traffic causes its own.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
_NETSTAT: Final = Path("/proc/net/netstat")
Pids = Callable[[], Iterable[int]]


class Processes:
    """The CPU time of processes that come and go, as ``used_s``, since the first ``read``.

    That of a process includes that of the children that it has waited for. So the sum over all processes,
    including those that have ended and are not waited for yet, goes on growing when one ends. It falls only
    if none of these processes hears of an end: SIGCHLD is ignored, the parent is not one of them, or macOS
    doesn't report such time. What was counted before stays counted.
    """

    def __init__(self, pids: Pids) -> None:
        self._pids = pids
        self._known: dict[int, None] = {}
        self._sum_s: float | None = None
        self.used_s = 0.0
        self.most = 0
        """How many there were at a time."""

    def read(self) -> None:
        """Read children first: if one has gone by then, a parent that has waited for it is read later."""
        listed = [*self._pids()]
        self._known |= dict.fromkeys(listed)
        found: dict[int, float] = {}
        for pid in reversed(self._known):
            with contextlib.suppress(psutil.Error):  # it is gone
                times = psutil.Process(pid).cpu_times()
                found[pid] = times.user + times.system
                if pid != os.getpid():  # the lab's own children are listed themselves, if they count
                    found[pid] += getattr(times, "children_user", 0.0) + getattr(
                        times, "children_system", 0.0
                    )
        self._known = {pid: None for pid in self._known if pid in found}
        self.most = max(self.most, len(found.keys() & {*listed}))
        sum_s = sum(found.values())
        if self._sum_s is not None:
            self.used_s += max(0.0, sum_s - self._sum_s)
        self._sum_s = sum_s


@dataclass(frozen=True, slots=True)
class Reading:
    """Counters of the whole system; only differences matter."""

    at_s: float
    busy_s: float
    """Summed over all processors."""
    counts: dict[str, float]
    """Seconds of stalls (PSI), and TCP's counters, as far as there are any."""


def read_system() -> Reading:
    at_s, times = time.monotonic(), psutil.cpu_times()
    unused_s = sum(getattr(times, name, 0.0) for name in _UNUSED)
    return Reading(at_s, at_s * _processors() - unused_s, {**_pressure_s(), **_network()})


def system_between(first: Reading, last: Reading, own_s: float) -> System:
    """``own_s`` is the CPU time of all the experiment's processes meanwhile."""
    wall_s = last.at_s - first.at_s
    more = {name: last.counts[name] - before for name, before in first.counts.items() if name in last.counts}
    foreign_s = max(0.0, last.busy_s - first.busy_s - own_s)
    shares = {name: more[name] / wall_s if name in more else None for name in _RESOURCES}
    overflows, retransmissions = more.get("ListenOverflows"), more.get("TCPSynRetrans")
    return System(
        foreign_cpu=foreign_s / (wall_s * _processors()),
        pressure_cpu=shares["cpu"],
        pressure_memory=shares["memory"],
        pressure_io=shares["io"],
        listen_overflows=None if overflows is None else int(overflows),
        syn_retransmissions=None if retransmissions is None else int(retransmissions),
    )


class Watch:
    """One window: ``begin``, ``sample`` now and then, ``end``."""

    def __init__(self, server: Pids, own: Pids) -> None:
        """Both return current processes, each before its children; ``own``: the client and the services."""
        self._pids = server
        self._server = Processes(server)
        self._own = Processes(lambda: [os.getpid(), *own()])

    def begin(self) -> None:
        self._before = self._most = memory(self._pids(), proportional=True)
        self._first = read_system()
        self._read()

    def sample(self) -> None:
        """Do nothing if the last sample was too recent."""
        if time.monotonic() >= self._next_s:
            self._read()
            self._most = _larger(self._most, memory(self._pids(), proportional=False))

    def end(self) -> tuple[Server, System]:
        """Call this while the server's processes still exist."""
        last = read_system()
        self._read()
        self._most = _larger(self._most, memory(self._pids(), proportional=True))
        server = Server(self._server.used_s, self._server.most, self._before, self._most)
        return server, system_between(self._first, last, self._server.used_s + self._own.used_s)

    def _read(self) -> None:
        begun_s = time.monotonic()
        self._server.read()
        self._own.read()
        self._next_s = begun_s + max(_INTERVAL_S, _SHARE * (time.monotonic() - begun_s))


def memory(pids: Iterable[int], proportional: bool) -> Memory | None:
    """Return None if none is alive. ``proportional`` takes ms for each process and locks its memory."""
    virtual = resident = 0
    shared: int | None = 0 if proportional else None
    for pid in pids:
        with contextlib.suppress(psutil.Error):  # it has ended
            process = psutil.Process(pid)
            used = process.memory_full_info() if proportional else process.memory_info()
            virtual, resident = virtual + used.vms, resident + used.rss
            part = getattr(used, "pss", None)
            shared = None if shared is None or part is None else shared + part
    return Memory(virtual, resident, shared) if resident else None


def _larger(one: Memory | None, other: Memory | None) -> Memory | None:
    if one is None or other is None:
        return one or other
    shared = [part for part in (one.proportional_bytes, other.proportional_bytes) if part]
    return Memory(
        max(one.virtual_bytes, other.virtual_bytes),
        max(one.resident_bytes, other.resident_bytes),
        max(shared, default=None),
    )


def _processors() -> int:
    return psutil.cpu_count() or 1


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
    with contextlib.suppress(OSError):
        lines = _NETSTAT.read_text().splitlines()
        for names, numbers in zip(lines[::2], lines[1::2], strict=False):
            if names.startswith("TcpExt:"):
                return dict(zip(names.split()[1:], map(int, numbers.split()[1:]), strict=False))
    return {}
