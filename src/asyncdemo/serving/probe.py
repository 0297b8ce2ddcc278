"""Whether a server takes connections yet: asked without a request, so it logs and handles nothing.

A connection is opened and its sending side closed. Whoever reads it sees its end at once and closes it
too; a socket that only listens, or a backlog that nobody looks at, does not.
"""

from __future__ import annotations

import contextlib
import errno
import socket
from typing import Final

from asyncdemo.serving.ports import HOST

__all__ = ["Probe"]

_UNDER_WAY: Final = (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY, getattr(errno, "WSAEINVAL", 0))
_CONNECTED: Final = (0, errno.EISCONN)


class Probe:
    """``answered`` is asked again and again; it never waits."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None
        self._connected = False

    def answered(self) -> bool:
        """Whether the server has closed, or answered, a connection of ours."""
        if self._socket is None:
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._socket.setblocking(False)
        if not self._connected and not self._connect(self._socket):
            return False
        try:
            self._socket.recv(1)
        except BlockingIOError:
            return False
        except OSError:  # reset: by somebody who had accepted it, as a listening socket alone resets none
            pass
        self.close()
        return True

    def close(self) -> None:
        """May be called twice."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self._connected = None, False

    def _connect(self, probe: socket.socket) -> bool:
        result = probe.connect_ex((HOST, self._port))
        if result in _CONNECTED:
            self._connected = True
            with contextlib.suppress(OSError):  # it was closed in this moment
                probe.shutdown(socket.SHUT_WR)
        elif result not in _UNDER_WAY:
            self.close()  # nobody listens: ask anew
        return self._connected
