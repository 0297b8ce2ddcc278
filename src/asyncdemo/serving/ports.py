"""Ports of this machine: a free one, and which process listens on one.

The listener is read from /proc if it exists (Linux), or else obtained from ``lsof`` (macOS). If neither
exists, it is unknown, and nothing is claimed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

HOST: Final = "127.0.0.1"
_LISTEN: Final = "0A"
_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LSOF_S: Final = 5.0
CAN_TELL: Final = _TABLES[0].exists()
"""Whether finding the listener costs next to nothing."""


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Listening:
    """``somebody``: a socket listens. ``ours``: one of the given processes has it; None if unknown.

    ``waiting`` is the number of connections not yet accepted; None if unknown.
    """

    somebody: bool
    ours: bool | None = None
    waiting: int | None = None


def listening(port: int, pids: Collection[int]) -> Listening:
    """Find out who listens on a port of this machine."""
    if CAN_TELL:
        here = [entry for entry in tcp_sockets(port) if entry.listens]
        if not here:
            return Listening(False)
        inodes = {entry.inode for entry in here}
        return Listening(True, bool(inodes & owners(pids).keys()), sum(entry.waiting for entry in here))
    if not _answers(port):
        return Listening(False)
    listeners = _listeners(port)
    return Listening(True, bool(listeners & set(pids)) if listeners else None)


def ports_of(pids: Collection[int]) -> set[int]:
    """Return the ports on which these processes listen, as far as the system tells."""
    if not CAN_TELL:
        return set()
    ours = owners(pids)
    return {entry.port for entry in tcp_sockets() if entry.listens and entry.inode in ours}


class TcpSocket(NamedTuple):
    """``waiting``: for a listener, the connections not yet accepted, whose own ``inode`` is "0"."""

    port: int
    remote_port: int
    listens: bool
    waiting: int
    inode: str


def tcp_sockets(port: int | None = None) -> list[TcpSocket]:
    """Return this machine's sockets, or those with this local port. Linux."""
    own = ":" if port is None else f":{port:04X} "  # among thousands of lines, few need parsing
    found = []
    for table in _TABLES:
        with contextlib.suppress(OSError):  # no IPv6 here
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                if own in line:
                    fields = line.split()
                    here, remote, waiting = (int(fields[n].rpartition(":")[2], 16) for n in (1, 2, 4))
                    if port in {None, here}:
                        found.append(TcpSocket(here, remote, fields[3] == _LISTEN, waiting, fields[9]))
    return found


def owners(pids: Collection[int]) -> dict[str, set[int]]:
    """Return inode -> processes, for each socket that these processes have open. Linux."""
    found: dict[str, set[int]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):  # it has been closed
                    target = os.readlink(f"/proc/{pid}/fd/{descriptor}")
                    if target.startswith("socket:["):
                        found.setdefault(target[len("socket:[") : -1], set()).add(pid)
    return found


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1.0):
        return True
    return False


def _listeners(port: int) -> set[int]:
    """Ask ``lsof`` which processes listen there; empty if it doesn't exist or may not tell."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired, ValueError):
        done = subprocess.run(
            ["lsof", "-nP", f"-iTCP:{port}", "-sTCP:LISTEN", "-t"],
            capture_output=True,
            text=True,
            timeout=_LSOF_S,
            check=False,
        )
        return {int(pid) for pid in done.stdout.split()}
    return set()
