"""Bytes that have arrived but are not processed yet: in memory, and in a file if they do not fit there.

So a traced process never waits to send its events, however long we take to process them.
"""

from __future__ import annotations

import tempfile
from collections import deque
from typing import IO

_IN_MEMORY = 16 << 20
_AT_ONCE = 1 << 18


class Backlog:
    def __init__(self) -> None:
        self._memory: deque[bytes] = deque()
        self._memory_bytes = 0
        self._file: IO[bytes] | None = None
        self._written = self._taken = 0
        self._last: deque[bytes] = deque()
        """Data for which the disk has no room."""

    def __bool__(self) -> bool:
        return bool(self._memory or self._file or self._last)

    def __len__(self) -> int:
        """Bytes in memory and in the file."""
        return self._memory_bytes + (self._written - self._taken if self._file is not None else 0)

    @property
    def full(self) -> bool:
        """Whether there is no room for more data at present."""
        return bool(self._last)

    def put(self, data: bytes) -> None:
        if self._file is None and not self._last and self._memory_bytes + len(data) <= _IN_MEMORY:
            self._memory.append(data)
            self._memory_bytes += len(data)
        elif self._last or not self._write(data):
            self._last.append(data)

    def _write(self, data: bytes) -> bool:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it must outlive this call
                self._written = self._taken = 0
            self._file.seek(self._written)
            self._file.write(data)
            self._file.flush()
        except OSError:
            return False  # a partial write is overwritten later, or never read
        self._written += len(data)
        return True

    def take(self) -> bytes:
        """Return the next bytes in order; empty if there are none."""
        if self._memory:
            data = self._memory.popleft()
            self._memory_bytes -= len(data)
            return data
        if self._file is not None:
            self._file.seek(self._taken)
            data = self._file.read(min(_AT_ONCE, self._written - self._taken))
            self._taken += len(data)
            if self._taken == self._written:
                self.close()
            return data
        return self._last.popleft() if self._last else b""

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None
