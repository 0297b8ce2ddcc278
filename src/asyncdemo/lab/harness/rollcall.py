"""Whether every worker of a server answers: each is asked, by its process, and the app is left as it is.

A connection is opened and half a request sent on it. Then the system knows which process has accepted it:
on Linux /proc/net/tcp names the socket of each connection, and /proc/PID/fd who has it; elsewhere ``psutil``
asks the system the same, of our own processes. So the other half is sent, and whoever answers, with any
status, is a worker at work. The next connection must be another one's: those that have answered are stopped
(SIGSTOP) for the moment in which it is accepted, because of processes that wait for one socket the system
wakes some much more often than others. Half a request, since some (meinheld) do not accept a connection
without any data. Not for: what is done about a server that does not get there (``launching``).
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

from asyncdemo.lab.servers import HOST
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


_HALF: Final = b"GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: asyncdemo\r\n"
_REST: Final = b"Connection: close\r\n\r\n"
_ACCEPT_S: Final = 0.25
"""For so long at most somebody is stopped: less than any time-out with which a server watches its workers."""
_ANSWER_S: Final = 5.0
_AGAIN_S: Final = 0.005
_MOST: Final = 8
"""Connections at once."""


class RollCall:
    """answered: the processes that have. accepted_by_stranger: a process that is none of the server's."""

    def __init__(
        self, port: int, pids: Pids, path: str = "/", seen: Callable[[int, Pids], Acceptors] = look
    ) -> None:
        """pids: the server's processes, as they are now. path: what is asked for."""
        self._port = port
        self._pids = pids
        self._half = _HALF % (path.encode(), f"{HOST}:{port}".encode())
        self._seen = seen
        self.answered: set[int] = set()
        self.accepted_by_stranger = False

    def ask(self, missing: int) -> None:
        """One try to hear so many more. Takes a few seconds at most."""
        asking: dict[int, socket.socket] = {}
        try:
            with self._stopped():
                for _ in range(min(missing, _MOST)):
                    with contextlib.suppress(OSError):  # nobody listens yet
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
        """Who has which of our connections, once all are accepted or enough time is over."""
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
        """Those that have answered wait meanwhile."""
        self.answered &= set(self._pids())  # pids come back
        stopped = sorted(self.answered)
        try:
            for pid in stopped:
                _signal(pid, "SIGSTOP")
            yield
        finally:
            for pid in stopped:
                _signal(pid, "SIGCONT")


def _answers(connection: socket.socket) -> bool:
    """Whether the first bytes of an HTTP response come back."""
    try:
        connection.settimeout(_ANSWER_S)
        connection.sendall(_REST)
        return connection.recv(5).startswith(b"HTTP/")
    except OSError:
        return False


def _signal(pid: int, name: str) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, getattr(signal, name))
