"""Which process of a server has accepted which of our connections, and whether it alone listens on its port.

Linux: /proc/net/tcp names the socket of each connection, /proc/PID/fd who has it. Until somebody accepts a
connection it has no socket there. Elsewhere ``psutil`` asks the system the same, of our own processes.
Not for: making connections (``rollcall``).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from asyncdemo.serving.ports import listening

__all__ = ["Acceptors", "look", "look_with_psutil"]

_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LISTEN: Final = "0A"
_NOT_ACCEPTED: Final = "0"
Pids = Callable[[], Collection[int]]


@dataclass(frozen=True, slots=True)
class Acceptors:
    """accepted: our port of a connection -> the process that has its other end.

    strangers: ports of ours whose connection was accepted by none of the given processes.
    listeners: processes that have a socket which listens. stranger_listens: so has somebody else.
    """

    accepted: dict[int, int]
    strangers: frozenset[int]
    listeners: frozenset[int]
    stranger_listens: bool


def look(port: int, pids: Pids) -> Acceptors:
    """pids is called after the connections were looked at: who accepted one was there by then."""
    return _look_into_proc(port, pids) if _TABLES[0].exists() else look_with_psutil(port, pids)


class _Row(NamedTuple):
    remote_port: int
    listens: bool
    inode: str


def _look_into_proc(port: int, pids: Pids) -> Acceptors:
    rows = _rows(port)
    owners = _owners({row.inode for row in rows}, pids())
    connections = [row for row in rows if not row.listens and row.inode != _NOT_ACCEPTED]
    listeners = [row for row in rows if row.listens]
    return Acceptors(
        {row.remote_port: min(owners[row.inode]) for row in connections if row.inode in owners},
        frozenset(row.remote_port for row in connections if row.inode not in owners),
        frozenset(pid for row in listeners for pid in owners.get(row.inode, ())),
        any(row.inode not in owners for row in listeners),
    )


def _rows(port: int) -> list[_Row]:
    """Sockets with this port as their own."""
    own = f":{port:04X}"
    found = []
    for table in _TABLES:
        with contextlib.suppress(OSError):  # no IPv6 here
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                if own in line:
                    fields = line.split()
                    if fields[1].endswith(own):
                        remote = int(fields[2].rpartition(":")[2], 16)
                        found.append(_Row(remote, fields[3] == _LISTEN, fields[9]))
    return found


def _owners(inodes: Collection[str], pids: Collection[int]) -> dict[str, set[int]]:
    owners: dict[str, set[int]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):  # it is closed by now
                    inode = os.readlink(f"/proc/{pid}/fd/{descriptor}").removeprefix("socket:[")[:-1]
                    if inode in inodes:
                        owners.setdefault(inode, set()).add(pid)
    return owners


def look_with_psutil(port: int, pids: Pids) -> Acceptors:
    """It sees nothing of processes that are not given: a stranger is who listens if none of them does."""
    import psutil  # Linux does without

    accepted: dict[int, int] = {}
    listeners = set()
    for pid in pids():
        with contextlib.suppress(psutil.Error):  # it has ended
            for connection in psutil.Process(pid).net_connections(kind="tcp"):
                if not connection.laddr or connection.laddr.port != port:
                    continue
                if connection.status == psutil.CONN_LISTEN:
                    listeners.add(pid)
                elif connection.raddr:
                    accepted.setdefault(connection.raddr.port, pid)
    stranger_listens = not listeners and listening(port, ()).somebody
    return Acceptors(accepted, frozenset(), frozenset(listeners), stranger_listens)
