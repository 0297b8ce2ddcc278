"""The connections to the processes of one recording, whose events go into the same assembly."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

from asyncdemo.capture import wire
from asyncdemo.recording.assembly import Assembly
from asyncdemo.recording.backlog import Backlog

_SEND_S = 1.0
"""How long a process may take to read what it is sent."""
_BEHIND = 8 << 20
"""Unprocessed bytes. This many take us two seconds."""
_AT_ONCE = 1 << 18
_IN_A_ROW = 64
_TURN_S = 0.02
"""How long to process what has arrived before reading on, since no sender should have to wait."""


class _EventConnection:
    """A connection to one process.

    If ``garbled``, its data can no longer be decoded; if ``at_end``, all of it has been read; if ``behind``,
    the process knows that we are behind.
    """

    __slots__ = ("at_end", "backlog", "behind", "frames", "garbled", "process")

    def __init__(self, frames: wire.FrameReader, process: int) -> None:
        self.frames = frames
        self.process = process
        self.backlog = Backlog()
        self.garbled = self.at_end = self.behind = False


class EventConnections:
    """Connections to processes, which are identified by numbers: 0 is the script's own."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._connections: dict[socket.socket, _EventConnection] = {}

    def __iter__(self) -> Iterator[socket.socket]:
        """Iterate over the open connections to wait for."""
        open_ = self._connections.items()
        return iter([sock for sock, each in open_ if not each.at_end and not each.backlog.full])

    def __len__(self) -> int:
        return len(self._connections)

    @property
    def processes(self) -> set[int]:
        """The processes that are connected."""
        return {connection.process for connection in self._connections.values()}

    def open(self, sock: socket.socket, frames: wire.FrameReader, process: int = 0) -> None:
        """Take ownership of a connection; ``frames`` has what has been read of it, from the first byte."""
        self._connections[sock] = _EventConnection(frames, process)

    def send(self, frame: bytes, process: int | None = None) -> None:
        """Send a frame to one process or to all. Those that have already ended are skipped."""
        for sock, connection in self._connections.items():
            if process in (None, connection.process):
                with contextlib.suppress(OSError):
                    sock.settimeout(_SEND_S)
                    sock.sendall(frame)

    @property
    def behind(self) -> bool:
        """Whether something has been read but not processed."""
        return any(connection.backlog for connection in self._connections.values())

    def read(self, sock: socket.socket) -> None:
        """Read what has arrived on one connection, to process it later."""
        connection = self._connections[sock]
        sock.settimeout(0)
        for _ in range(_IN_A_ROW):
            try:
                data = sock.recv(_AT_ONCE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                connection.at_end = True
                return
            # If it's garbled, keep reading: were it closed, the script would think that we're gone.
            if not connection.garbled:
                connection.backlog.put(data)

    def process_received(self) -> None:
        """Process what has been read, for a short while."""
        end_s = time.monotonic() + _TURN_S
        while time.monotonic() < end_s and self.behind:
            for connection in self._connections.values():
                self._decode(connection)
        for sock, connection in list(self._connections.items()):
            backlog, was_behind = connection.backlog, connection.behind
            connection.behind = len(backlog) > _BEHIND or (was_behind and bool(backlog))
            if connection.behind is not was_behind:
                kind = wire.BEHIND if connection.behind else wire.CAUGHT_UP
                self.send(wire.frame(kind, b""), connection.process)
            if connection.at_end and not backlog:
                self._close(sock)

    def _decode(self, connection: _EventConnection) -> None:
        try:
            for kind, payload in connection.frames.feed(connection.backlog.take()):
                self._assembly.feed(kind, payload, connection.process)
        except (ValueError, RecursionError) as error:
            connection.garbled = True
            while connection.backlog.take():
                pass
            self._assembly.script.stop(connection.process, f"early: {error}")

    def close(self) -> None:
        """Close all connections. May be called twice."""
        for sock in list(self._connections):
            self._close(sock)

    def _close(self, sock: socket.socket) -> None:
        sock.close()
        connection = self._connections.pop(sock)
        connection.backlog.close()
        self._assembly.script.mark_gone(connection.process)
