"""A child process with everything that descends from it: what it uses, and the end of it.

Descendants are found by their parents while these live, and by the run's token in their environment
afterwards; so only one that has neither, made in the last moment, could be missed.
Not for starting processes: ``runner`` does that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator

from asyncdemo.capture import wire

__all__ = ["Family", "physical_memory"]

_PERSISTENCE_S = 3.0
"""How long to go on ending processes that make new ones."""
_HAS_PROC = os.path.exists("/proc/self/task")


class Family:
    """A process and its descendants, also those that have left its group or its session.

    Who was seen once by ``look`` stays known, whoever is its parent later.
    """

    def __init__(self, process: subprocess.Popen[bytes], token: str) -> None:
        self._process = process
        self._token = token
        self._seen: dict[int, str] = {}
        """pid -> when it started, because pids come back."""

    def look(self) -> int:
        """Note who is there now; returns how many that are."""
        here = {self._process.pid: ""} if self._process.poll() is None else {}
        here.update(
            (pid, started) for pid, started in self._seen.items() if started and _started(pid) == started
        )
        children = _children() if not _HAS_PROC else None
        pending = list(here)
        while pending:
            pid = pending.pop()
            found = _children_of(pid) if children is None else children.get(pid, [])
            for child in found:
                if child not in here:
                    here[child] = _started(child)
                    pending.append(child)
        here.pop(self._process.pid, None)
        self._seen = here
        return len(here)

    tells_children = _HAS_PROC
    """``look`` costs little: the system says which the children of one process are."""

    @property
    def pids(self) -> tuple[int, ...]:
        """The descendants that ``look`` saw last."""
        return tuple(self._seen)

    def uses_more_than(self, limit_bytes: int) -> bool:
        """All together; memory that they share counts once, as far as the system tells."""
        pids = [*self._seen, *([self._process.pid] if self._process.poll() is None else [])]
        if sum(map(_resident, pids)) <= limit_bytes:
            return False
        return len(pids) == 1 or sum(map(_proportional, pids)) > limit_bytes

    def end(self) -> None:
        """Kill all of them, and wait for the process itself. May be called twice."""
        self.look()
        if self._process.poll() is None:  # else its number may be somebody else's by now
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
        self._process.wait()
        deadline = time.monotonic() + _PERSISTENCE_S
        while time.monotonic() < deadline:
            self.look()
            left = {**self._seen, **_marked(self._token), **_group_of_ended(self._process.pid)}
            if not left:
                return
            for pid, started in left.items():
                _kill(pid, started)
            time.sleep(0.01)


def physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


# -- what the system tells: /proc on Linux, ps on other systems with POSIX processes ---------------


def _kill(pid: int, started: str) -> None:
    """End the process that started then: what has its number later is somebody else's."""
    kill = signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM
    with contextlib.suppress(ProcessLookupError, PermissionError), _held(pid) as descriptor:
        if not started or _started(pid) != started:
            return
        if descriptor is None:
            os.kill(pid, kill)
        else:
            signal.pidfd_send_signal(descriptor, kill)


@contextlib.contextmanager
def _held(pid: int) -> Iterator[int | None]:
    """A descriptor that goes on meaning this process, if the system has such. Raises ProcessLookupError."""
    descriptor: int | None = None
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            raise
        except OSError:  # an old kernel, or a sandbox that does not allow it
            pass
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _started(pid: int) -> str:
    """When a process started, in the system's own words; empty if it is gone or a zombie."""
    if not _HAS_PROC:
        state, _, started = _ps("-o", "stat=,lstart=", "-p", str(pid)).strip().partition(" ")
        return "" if "Z" in state else started.strip()
    fields = _stat(pid)
    return fields[19].decode() if fields else ""


def _stat(pid: int) -> list[bytes]:
    """Its state, parent, group, session, ... (proc_pid_stat(5)); empty if it is gone or a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return []
    return [] if fields[0] in (b"Z", b"X") else fields


def _children_of(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return [child for child in found if _started(child)]


def _children() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for line in _ps("-axo", "pid=,ppid=,stat=").splitlines():
        pid, parent, state = line.split(None, 2)
        if "Z" not in state:
            children.setdefault(int(parent), []).append(int(pid))
    return children


def _group_of_ended(leader: int) -> dict[int, str]:
    """Who is left of the group and the session of a process that has been waited for: pid -> when it started.

    The system gives its number to nobody else before these are gone, so if it is in use there are none.
    """
    if not _HAS_PROC:
        lines = [line.split() for line in _ps("-axo", "pid=,pgid=").splitlines()]
        members = {int(pid): _started(int(pid)) for pid, group in lines if int(group) == leader}
    else:
        members = {}
        for pid in _all_pids():
            fields = _stat(pid)
            if fields and leader in (int(fields[2]), int(fields[3])):
                members[pid] = fields[19].decode()
    return {} if leader in members else {pid: started for pid, started in members.items() if started}


def _marked(token: str) -> dict[int, str]:
    """Processes whose environment names this run, and when they started."""
    mark = f"{wire.ENV}="
    if not token:
        return {}  # it would be in every one
    if not _HAS_PROC:
        lines = _ps("-axEww", "-o", "pid=,command=").splitlines()
        found = [int(line.split(None, 1)[0]) for line in lines if mark in line and token in line]
        started = {pid: _started(pid) for pid in found}
    else:
        pids = [pid for pid in _all_pids() if _names(pid, mark.encode(), token.encode())]
        started = {pid: _started(pid) for pid in pids}
        # once more: between the two it may have ended, and another one come
        started = {pid: at for pid, at in started.items() if _names(pid, mark.encode(), token.encode())}
    return {pid: at for pid, at in started.items() if at}


def _all_pids() -> list[int]:
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]


def _names(pid: int, mark: bytes, token: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            lines = file.read().split(b"\0")
    except OSError:
        return False  # it has ended, or is somebody else's
    return any(line.startswith(mark) and token in line for line in lines)


def _resident(pid: int) -> int:
    """Bytes in memory; 0 if the process is gone or the system does not tell."""
    if not _HAS_PROC:
        size = _ps("-o", "rss=", "-p", str(pid)).strip()
        return int(size) * 1024 if size.isdigit() else 0
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _proportional(pid: int) -> int:
    """As ``_resident``, but of what it shares with others only its part."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(b"Pss:"))
    except OSError:
        return _resident(pid)


def _ps(*arguments: str) -> str:
    try:
        return subprocess.run(["ps", *arguments], capture_output=True, text=True, check=False).stdout
    except OSError:  # Windows has none
        return ""
