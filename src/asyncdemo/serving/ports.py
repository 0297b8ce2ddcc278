"""Ports of this machine: a free one, and who listens on one.

Who listens is read from /proc where there is one (Linux), else asked of ``lsof`` (macOS); where neither
is there it is not known, and nothing is claimed.
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

__all__ = ["CAN_TELL", "HOST", "Listening", "free_port", "listening", "ports_of"]

HOST: Final = "127.0.0.1"
_LISTEN: Final = "0A"
_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LSOF_S: Final = 5.0
CAN_TELL: Final = _TABLES[0].exists()
"""Whether it costs next to nothing to know who listens."""


def free_port() -> int:
    """One that nobody had a moment ago."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Listening:
    """somebody: at least one socket listens. ours: one of the given processes has it; None if unknown.

    waiting: connections that nobody has accepted yet; None if unknown.
    """

    somebody: bool
    ours: bool | None = None
    waiting: int | None = None


def listening(port: int, pids: Collection[int]) -> Listening:
    """Who listens on a port of this machine."""
    if CAN_TELL:
        here = [entry for entry in _listening_sockets() if entry.port == port]
        if not here:
            return Listening(False)
        inodes = {entry.inode for entry in here}
        return Listening(True, bool(inodes & _sockets_of(pids)), sum(entry.waiting for entry in here))
    if not _answers(port):
        return Listening(False)
    owners = _owners(port)
    return Listening(True, bool(owners & set(pids)) if owners else None)


def ports_of(pids: Collection[int]) -> set[int]:
    """The ports on which these processes listen, as far as the system tells."""
    if not CAN_TELL:
        return set()
    ours = _sockets_of(pids)
    return {entry.port for entry in _listening_sockets() if entry.inode in ours}


class _Entry(NamedTuple):
    """A socket that listens."""

    port: int
    inode: str
    waiting: int


def _listening_sockets() -> list[_Entry]:
    found = []
    for table in _TABLES:
        with contextlib.suppress(OSError):  # no IPv6 here
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTEN:
                    port, waiting = (int(fields[n].rpartition(":")[2], 16) for n in (1, 4))
                    found.append(_Entry(port, fields[9], waiting))
    return found


def _sockets_of(pids: Collection[int]) -> set[str]:
    """The inodes of the sockets that these processes have open."""
    found = set()
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):  # it is closed by now
                    target = os.readlink(f"/proc/{pid}/fd/{descriptor}")
                    if target.startswith("socket:["):
                        found.add(target[len("socket:[") : -1])
    return found


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1.0):
        return True
    return False


def _owners(port: int) -> set[int]:
    """The processes that listen there, by ``lsof``; empty where there is none, or it may not tell."""
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
