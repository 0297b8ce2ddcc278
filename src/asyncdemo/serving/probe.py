"""Checks whether a server accepts connections yet, without a request, so no code of the lesson handles it.

It opens a connection and closes its sending side. A server that reads it sees the end immediately and closes
it, too; a socket that only listens, or a backlog that nobody reads, does not. Some (Hypercorn) wait for a
timeout first: after a while, the probe sends such a server an invalid request, which it rejects by itself.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from typing import Final

from asyncdemo.serving.ports import HOST

_UNDER_WAY: Final = (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY)
_CONNECTED: Final = (0, errno.EISCONN)
_SILENCE_S: Final = 1.0
_CONNECT_S: Final = 0.1
_NO_REQUEST: Final = b"?\r\n\r\n"


class Probe:
    """Poll ``answered``, which never waits. ``connected_s`` is the time of connecting, or None."""

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
