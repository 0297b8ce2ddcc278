"""A bounded queue of frames on their way to the parent."""

from __future__ import annotations

import _thread
import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress

MOST_WAITING = 32 << 20
"""Bytes. Beyond this the recording ends, unless the script has ended: then we wait for the parent."""
_SEND_TAKES_US = 20_000
_Socket = socket.socket  # gevent replaces it
_get_ident = _thread.get_ident


Send = Callable[[memoryview], int]
"""Sends as many of the bytes as possible without waiting, and returns how many."""


def sender(connection: socket.socket) -> Send:
    with suppress(OSError, AttributeError):  # without it, sending waits for the parent
        limit = struct.pack("ll", 0, _SEND_TAKES_US)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    return super(_Socket, connection).send


class Outbox:
    def __init__(self) -> None:
        self._frames: deque[memoryview] = deque()
        self.waiting = 0
        """Bytes in the queue."""
        self._send: Send | None = None
        self._lock = _thread.allocate_lock()
        self._holder = 0

    @property
    def full(self) -> bool:
        """Whether more is waiting than may be kept."""
        return self.waiting > MOST_WAITING

    @property
    def in_use(self) -> bool:
        """Whether a thread has acquired it."""
        return self._holder != 0

    @property
    def connected(self) -> bool:
        return self._send is not None

    def __bool__(self) -> bool:
        """Whether anything is left that can be sent."""
        return self.connected and bool(self._frames)

    def connect(self, send: Send) -> None:
        self._send = send

    def disconnect(self) -> None:
        """Disconnect. May be called from any thread, even while another one sends."""
        self._send = None
        if self.acquire(wait=False):
            self.release()

    def acquire(self, wait: bool) -> bool:
        """Acquire the outbox, before any other use of it.

        Return False if another thread has it and ``wait`` is false, or if called by a signal handler that
        interrupted the sending itself, which would wait for ever.
        """
        ident = _get_ident()
        if self._holder == ident or not self._lock.acquire(wait):
            return False
        self._holder = ident
        return True

    def release(self) -> None:
        if not self.connected:
            self._frames.clear()
            self.waiting = 0
        self._holder = 0
        self._lock.release()

    def put(self, frame: bytes) -> None:
        self._frames.append(memoryview(frame))
        self.waiting += len(frame)

    def send_next(self) -> bool:
        """Send what the parent takes of the first frame within 20 ms. Return whether it took any.

        Waits without the GIL. Raises OSError if the parent is gone or the script closed the socket.
        """
        send = self._send
        if send is None or not self._frames:
            return False
        first = self._frames[0]
        try:
            sent = send(first)
        except BlockingIOError:
            return False
        self.waiting -= sent
        if sent == len(first):
            self._frames.popleft()
        else:
            self._frames[0] = first[sent:]
        return True
