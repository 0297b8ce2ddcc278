"""Checks that all workers of a server are ready, not only the first.

The system gives a new connection to whichever process asks first. So a few are opened at a time, repeatedly,
until each process has accepted one. No request is sent on them, so no code of the lesson sees them.
Not here: whether the server accepts connections at all (see ``readiness``).
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Collection
from typing import Final

from asyncdemo.serving.ports import HOST

_AGAIN_S: Final = 0.05
_PATIENCE_S: Final = 8.0
"""After this time the load starts anyway: a worker may get no turn, or the script may start fewer."""
_EACH: Final = 2
"""Connections for each worker at a time."""


class Workers:
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
        waited_long = now_s - self._since_s > _PATIENCE_S
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
