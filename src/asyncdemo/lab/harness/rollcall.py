"""Whether every worker of a server answers: each is asked, by its process, and the app is left as it is.

A connection is opened and half a request sent on it. Then the system knows which process has accepted it;
so the other half is sent, and whoever answers, with any status, is a worker at work. The next connection
must be another one's: those that have answered are stopped (SIGSTOP) for the moment in which it is accepted,
because of processes that wait for one socket the system wakes some much more often than others.
Half a request, since some (meinheld) do not accept a connection without any data. Not for: what is done
about a server that does not get there (``launching``).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Final

from asyncdemo.lab.harness.acceptors import Acceptors, Pids, look
from asyncdemo.lab.servers import HOST

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
