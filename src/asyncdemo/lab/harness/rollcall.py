"""Checks that every worker of a server answers, identifying each by its process, without changing the app.

The client opens a connection and sends half a request. Then the system knows which process has accepted it:
on Linux, /proc/net/tcp lists the socket of each connection, and /proc/PID/fd its owner; elsewhere ``psutil``
finds this out for our own processes. Then the client sends the other half, and a process that answers, with
any status, is a working worker. The next connection must go to another, so those that have answered are
stopped (SIGSTOP) while it is accepted: among processes that wait on one socket, the system wakes some far
more often than others. Only half a request, because some servers (meinheld) do not accept a connection
without any data.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from asyncdemo.serving.ports import CAN_TELL, HOST, listening, owners, tcp_sockets

_NOT_ACCEPTED: Final = "0"
Pids = Callable[[], Collection[int]]


@dataclass(frozen=True, slots=True)
class Acceptors:
    """``accepted`` maps our port of a connection to the process that holds its other end.

    ``strangers`` are our ports whose connection none of the given processes accepted. ``listeners`` are
    processes with a listening socket; ``stranger_listens`` if another process has one, too.
    """

    accepted: dict[int, int]
    strangers: frozenset[int]
    listeners: frozenset[int]
    stranger_listens: bool


def look(port: int, pids: Pids) -> Acceptors:
    """Call ``pids`` after reading the connections, so that the process that accepted one is included."""
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
    """See only the given processes: if the port is open and none of them listens, a stranger does."""
    import psutil  # not needed on Linux

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


_HALF: Final = b"GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: asyncdemo\r\n"
_REST: Final = b"Connection: close\r\n\r\n"
_ACCEPT_S: Final = 0.25
"""The longest time a worker is stopped: shorter than any server's timeout for its workers."""
_ANSWER_S: Final = 5.0
_AGAIN_S: Final = 0.005
_MOST: Final = 8
"""Connections at a time."""


class RollCall:
    """``answered`` are the processes that have. ``accepted_by_stranger``: not by one of the server's."""

    def __init__(
        self, port: int, pids: Pids, path: str = "/", seen: Callable[[int, Pids], Acceptors] = look
    ) -> None:
        """``pids`` returns the server's current processes. ``path`` is the one to request."""
        self._port = port
        self._pids = pids
        self._half = _HALF % (path.encode(), f"{HOST}:{port}".encode())
        self._seen = seen
        self.answered: set[int] = set()
        self.accepted_by_stranger = False

    def ask(self, missing: int) -> None:
        """Try once to get answers from this many more. Takes a few seconds at most."""
        asking: dict[int, socket.socket] = {}
        try:
            with self._stopped():
                for _ in range(min(missing, _MOST)):
                    with contextlib.suppress(OSError):  # nothing listens yet
                        connection = socket.create_connection((HOST, self._port), timeout=_ACCEPT_S)
                        asking[connection.getsockname()[1]] = connection
                        connection.sendall(self._half)
                accepted = self._acceptors(set(asking))
            for ours, pid in accepted.items():
                if pid not in self.answered and _answers(asking[ours]):
                    self.answered.add(pid)
        finally:
            for connection in asking.values():
                connection.close()

    def _acceptors(self, ports: set[int]) -> dict[int, int]:
        """Return which process has which connection, once all are accepted or the time is up."""
        end_s = time.monotonic() + _ACCEPT_S
        while True:
            seen = self._seen(self._port, self._pids)
            accepted = {ours: pid for ours, pid in seen.accepted.items() if ours in ports}
            is_over = time.monotonic() > end_s
            if len(accepted) == len(ports) or is_over:
                self.accepted_by_stranger = bool(seen.strangers & ports)
                return accepted
            time.sleep(_AGAIN_S)

    @contextlib.contextmanager
    def _stopped(self) -> Iterator[None]:
        """Pause those that have answered."""
        self.answered &= set(self._pids())  # pids are reused
        stopped = sorted(self.answered)
        try:
            for pid in stopped:
                _signal(pid, "SIGSTOP")
            yield
        finally:
            for pid in stopped:
                _signal(pid, "SIGCONT")


def _answers(connection: socket.socket) -> bool:
    """Return whether the first bytes of an HTTP response come back."""
    try:
        connection.settimeout(_ANSWER_S)
        connection.sendall(_REST)
        return connection.recv(5).startswith(b"HTTP/")
    except OSError:
        return False


def _signal(pid: int, name: str) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, getattr(signal, name))
