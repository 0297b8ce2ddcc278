"""Whether a server is ready, on the port that it was given, and each of its workers."""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Final

from asyncdemo.serving.ports import CAN_TELL, HOST, Listening, listening, ports_of

_DOUBT_S: Final = 0.25
"""How long a port must seem to belong to another program: a process may start between two looks."""
_ELSEWHERE_S: Final = 2.0
_SETTLED_S: Final = 0.02
"""After this time, a new connection is counted among the waiting ones."""
_PATIENCE_S: Final = 10.0
"""After this time, a server counts as ready if it listens but ignores a connection without a request."""
_UNDER_WAY: Final = (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY)
_CONNECTED: Final = (0, errno.EISCONN)
_SILENCE_S: Final = 1.0
_CONNECT_S: Final = 0.1
_NO_REQUEST: Final = b"?\r\n\r\n"
_AGAIN_S: Final = 0.05
_WORKERS_S: Final = 8.0
"""After this time the load starts anyway: a worker may get no turn, or the script may start fewer."""
_EACH: Final = 2
"""Connections for each worker at a time."""


class Sight(Enum):
    """The state of the port."""

    NOTHING = auto()
    READY = auto()
    TAKEN = auto()
    """Another program has it."""
    ELSEWHERE = auto()
    """The server listens on another port."""


class Readiness:
    """Poll ``look``. ``other_port`` is where the server listens instead."""

    def __init__(self, port: int, pids: Callable[[], Collection[int]]) -> None:
        """``pids`` returns the server's current processes."""
        self._port = port
        self._pids = pids
        self._probe = Probe(port)
        self._since: dict[Sight, float] = {}
        self.other_port = 0

    def look(self) -> Sight:
        if not CAN_TELL:
            return self._look_from_outside()
        pids = self._pids()
        here = listening(self._port, pids)
        if here.ours is False:
            return self._lasting(Sight.TAKEN, _DOUBT_S)
        if not here.somebody:
            others = ports_of(pids)
            self.other_port = min(others, default=0)
            return self._lasting(Sight.ELSEWHERE, _ELSEWHERE_S) if others else self._lasting(Sight.NOTHING, 0)
        if self._probe.answered() or self._is_accepted(here):
            return Sight.READY
        lasting = self._lasting(Sight.READY, _PATIENCE_S)
        return Sight.READY if lasting is Sight.READY else Sight.NOTHING

    def close(self) -> None:
        """May be called twice."""
        self._probe.close()

    def _is_accepted(self, here: Listening) -> bool:
        """Return whether our connection is no longer waiting, so that a process has it."""
        connected_s = self._probe.connected_s
        if connected_s is None or time.monotonic() - connected_s < _SETTLED_S:
            return False
        return listening(self._port, ()).waiting == 0 == here.waiting

    def _look_from_outside(self) -> Sight:
        """If finding the listener is expensive, do it only once, when something has answered."""
        if not self._probe.answered():
            return Sight.NOTHING
        return Sight.TAKEN if listening(self._port, self._pids()).ours is False else Sight.READY

    def _lasting(self, sight: Sight, for_s: float) -> Sight:
        """Return the sight once nothing else has been seen for this long."""
        now_s = time.monotonic()
        self._since = {sight: self._since.get(sight, now_s)}
        return sight if now_s - self._since[sight] >= for_s else Sight.NOTHING


class Probe:
    """Whether a server accepts connections yet, without a request, so no code of the lesson handles it.

    It opens a connection and closes its sending side. A server that reads it sees the end immediately and
    closes it, too; a socket that only listens, or a backlog that nobody reads, does not. Some (Hypercorn)
    wait for a timeout first: after a while, the probe sends such a server an invalid request, which it
    rejects by itself.

    Poll ``answered``, which never waits. ``connected_s`` is the time of connecting, or None.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._silent: socket.socket | None = None
        self._asking: socket.socket | None = None
        self.connected_s: float | None = None

    def answered(self) -> bool:
        """Return whether the server has closed, or answered, one of our connections."""
        if self._silent is None:
            self._silent = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._silent.setblocking(False)
        if self.connected_s is None and not self._connect(self._silent):
            return False
        assert self.connected_s is not None
        if time.monotonic() - self.connected_s > _SILENCE_S and self._asking is None:
            self._asking = self._ask()
        if _has_answer(self._silent) or (self._asking is not None and _has_answer(self._asking)):
            self.close()
            return True
        return False

    def close(self) -> None:
        """May be called twice."""
        for probe in (self._silent, self._asking):
            if probe is not None:
                probe.close()
        self._silent = self._asking = self.connected_s = None

    def _connect(self, probe: socket.socket) -> bool:
        result = probe.connect_ex((HOST, self._port))
        if result in _CONNECTED:
            self.connected_s = time.monotonic()
            with contextlib.suppress(OSError):  # it was closed at this moment
                probe.shutdown(socket.SHUT_WR)
        elif result not in _UNDER_WAY:
            self.close()  # nothing listens: try again
        return self.connected_s is not None

    def _ask(self) -> socket.socket | None:
        """Connect, which works immediately, because the first probe is already connected."""
        with contextlib.suppress(OSError):  # it has just ended
            asking = socket.create_connection((HOST, self._port), timeout=_CONNECT_S)
            asking.sendall(_NO_REQUEST)
            asking.setblocking(False)
            return asking
        return None


def _has_answer(probe: socket.socket) -> bool:
    try:
        probe.recv(1)
    except BlockingIOError:
        return False
    except OSError:  # reset: by a process that had accepted it, as a socket that only listens resets none
        return True
    return True


class Workers:
    """Whether all workers of a server are ready, not only the first.

    The system gives a new connection to whichever process asks first. So a few are opened at a time,
    repeatedly, until each process has accepted one. No request is sent on them.
    """

    def __init__(self, port: int, number: int) -> None:
        """``number`` is how many worker processes to wait for; up to 1, there is no wait."""
        self._port = port
        self._number = number
        self._since_s = time.monotonic()
        self._next_s = 0.0
        self._knocking: list[socket.socket] = []

    def are_at_work(self, accepting: Collection[int]) -> bool:
        """``accepting`` are the processes that have accepted a connection so far; 0 is their parent.

        Call this repeatedly; it never waits.
        """
        now_s = time.monotonic()
        waited_long = now_s - self._since_s > _WORKERS_S
        if self._number <= 1 or len({*accepting} - {0}) >= self._number or waited_long:
            return True
        if now_s >= self._next_s:
            self._next_s = now_s + _AGAIN_S
            self._knock()
        return False

    def close(self) -> None:
        """May be called twice."""
        while self._knocking:
            self._knocking.pop().close()

    def _knock(self) -> None:
        """Close the previous ones only now: a worker cannot identify a connection that is already closed."""
        self.close()
        for _ in range(_EACH * self._number):
            knocking = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._knocking.append(knocking)
            knocking.setblocking(False)
            with contextlib.suppress(OSError):  # under way, or refused
                knocking.connect((HOST, self._port))
