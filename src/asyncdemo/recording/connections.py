"""The connections to the processes of one recording, whose events go into the same assembly.

Not here: letting processes in (see ``child``), when to read (``runner``).
"""

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
_BEHIND = 16 << 20
"""Unprocessed bytes. This many take us two seconds."""
_AT_ONCE = 1 << 18
_IN_A_ROW = 64
_TURN_S = 0.02
"""How long to process what has arrived before reading on, since no sender should have to wait."""


class _EventConnection:
    """A connection to one process.

    If ``garbled``, nothing on it can be understood any more; if ``over``, all has been read; if ``behind``,
    the process knows that we are behind.
    """

    __slots__ = ("backlog", "behind", "frames", "garbled", "over", "process")

    def __init__(self, frames: wire.FrameReader, process: int) -> None:
        self.frames = frames
        self.process = process
        self.backlog = Backlog()
        self.garbled = self.over = self.behind = False


class EventConnections:
    """Connections to processes, which are identified by numbers: 0 is the script's own."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._lines: dict[socket.socket, _EventConnection] = {}

    def __iter__(self) -> Iterator[socket.socket]:
        """Iterate over the open connections to wait for."""
        return iter([c for c, line in self._lines.items() if not line.over and not line.backlog.full])

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def processes(self) -> set[int]:
        """The processes that are connected."""
        return {line.process for line in self._lines.values()}

    def open(self, connection: socket.socket, frames: wire.FrameReader, process: int = 0) -> None:
        """Take ownership of a connection; ``frames`` has what has been read of it, from the first byte."""
        self._lines[connection] = _EventConnection(frames, process)

    def send(self, frame: bytes, process: int | None = None) -> None:
        """Send a frame to one process or to all. Those that have already ended are skipped."""
        for connection, line in self._lines.items():
            if process in (None, line.process):
                with contextlib.suppress(OSError):
                    connection.settimeout(_SEND_S)
                    connection.sendall(frame)

    @property
    def behind(self) -> bool:
        """Whether something has been read but not processed."""
        return any(line.backlog for line in self._lines.values())

    def read(self, connection: socket.socket) -> None:
        """Read what has arrived on one connection, to process it later."""
        line = self._lines[connection]
        connection.settimeout(0)
        for _ in range(_IN_A_ROW):
            try:
                data = connection.recv(_AT_ONCE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                line.over = True
                return
            if not line.garbled:  # keep reading: if we closed it, the script would think that we are gone
                line.backlog.put(data)

    def take_in(self) -> None:
        """Process what has been read, for a short while."""
        end_s = time.monotonic() + _TURN_S
        while time.monotonic() < end_s and self.behind:
            for line in self._lines.values():
                self._understand(line)
        for connection, line in list(self._lines.items()):
            if line.behind if not line.backlog else len(line.backlog) > _BEHIND and not line.behind:
                line.behind = not line.behind
                self.send(wire.frame(wire.BEHIND if line.behind else wire.CAUGHT_UP, b""), line.process)
            if line.over and not line.backlog:
                self._close(connection)

    def _understand(self, line: _EventConnection) -> None:
        try:
            for kind, payload in line.frames.feed(line.backlog.take()):
                self._assembly.feed(kind, payload, line.process)
        except (ValueError, RecursionError) as error:
            line.garbled = True
            while line.backlog.take():
                pass
            self._assembly.stop(line.process, f"early: {error}")

    def close(self) -> None:
        """Close all connections. May be called twice."""
        for connection in list(self._lines):
            self._close(connection)

    def _close(self, connection: socket.socket) -> None:
        connection.close()
        line = self._lines.pop(connection)
        line.backlog.close()
        self._assembly.leaves(line.process)
