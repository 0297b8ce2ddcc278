"""Which process of a server has accepted which of our connections, and whether it alone listens on its port.

Linux: /proc/net/tcp names the socket of each connection, /proc/PID/fd who has it. Until somebody accepts a
connection it has no socket there. Elsewhere ``psutil`` asks the system the same, of our own processes.
Not for: making connections (``rollcall``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from asyncdemo.serving.ports import CAN_TELL, listening, owners, tcp_sockets

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
    return _look_into_proc(port, pids) if CAN_TELL else look_with_psutil(port, pids)


def _look_into_proc(port: int, pids: Pids) -> Acceptors:
    rows = tcp_sockets(port)
    owned = owners(pids())
    connections = [row for row in rows if not row.listens and row.inode != _NOT_ACCEPTED]
    listeners = [row for row in rows if row.listens]
    return Acceptors(
        {row.remote_port: min(owned[row.inode]) for row in connections if row.inode in owned},
        frozenset(row.remote_port for row in connections if row.inode not in owned),
        frozenset(pid for row in listeners for pid in owned.get(row.inode, ())),
        any(row.inode not in owned for row in listeners),
    )


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
