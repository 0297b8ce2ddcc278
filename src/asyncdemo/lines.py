"""The lines to the processes of one recording: what each of them tells goes into the same assembly.

Not for: letting processes in (``child``), nor for when to read (``runner``).
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from asyncdemo.assembly import Assembly
from asyncdemo.capture import wire

__all__ = ["Lines"]

_ANSWER_S = 1.0
"""Something is there to be read when reading begins, so this only bounds what should not happen."""


class _Line:
    """A connection to one process. garbled: nothing on it is understood any more."""

    __slots__ = ("frames", "garbled", "process")

    def __init__(self, frames: wire.FrameReader, process: int) -> None:
        self.frames = frames
        self.process = process
        self.garbled = False


class Lines:
    """Processes are known by their numbers: 0 is the script's own."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._lines: dict[socket.socket, _Line] = {}

    def __iter__(self) -> Iterator[socket.socket]:
        """The open ones, to be waited for."""
        return iter(tuple(self._lines))

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def processes(self) -> set[int]:
        """Those that are connected."""
        return {line.process for line in self._lines.values()}

    def open(self, connection: socket.socket, frames: wire.FrameReader, process: int = 0) -> None:
        """frames: of the connection, from the first byte, as far as it has been read. Ours from now on."""
        self._lines[connection] = _Line(frames, process)

    def send(self, frame: bytes, process: int | None = None) -> None:
        """To one process or to all. One that has ended already cannot be told anything."""
        for connection, line in self._lines.items():
            if process in (None, line.process):
                with contextlib.suppress(OSError):
                    connection.sendall(frame)

    def read(self, connection: socket.socket) -> None:
        """Take in what has arrived on this one."""
        line = self._lines[connection]
        connection.settimeout(_ANSWER_S)
        try:
            data = connection.recv(1 << 20)
        except TimeoutError:
            return
        except OSError:
            data = b""
        if not data:
            self._close(connection)
            return
        if line.garbled:
            return  # read on: were the connection closed, the script would take us for gone
        try:
            for kind, payload in line.frames.feed(data):
                self._assembly.feed(kind, payload, line.process)
        except (ValueError, RecursionError) as error:
            line.garbled = True
            whose = f" of {self._assembly.name_of(line.process)}" if line.process else ""
            self._assembly.add_note(f"The recording{whose} stops early: {error}.")

    def close(self) -> None:
        """May be called twice."""
        for connection in self:
            self._close(connection)

    def _close(self, connection: socket.socket) -> None:
        connection.close()
        self._assembly.leaves(self._lines.pop(connection).process)
