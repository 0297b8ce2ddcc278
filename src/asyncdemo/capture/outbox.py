"""Frames on their way to the parent: in order, and never more than a bound of them.

Not for: what the frames say (``recorder``), nor for when they are sent (``watchdog``, ``parent``).
"""

from __future__ import annotations

import _thread
import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress

MOST_WAITING = 32 << 20
"""Bytes. Beyond them the recording ends, unless the script has ended: then the parent is waited for."""
_SEND_TAKES_US = 20_000
_Socket = socket.socket  # gevent replaces it
_get_ident = _thread.get_ident


Send = Callable[[memoryview], int]
"""Takes of some bytes as many as can be sent without waiting, and says how many."""


def sender(connection: socket.socket) -> Send:
    with suppress(OSError, AttributeError):  # else sending waits until the parent takes it
        limit = struct.pack("ll", 0, _SEND_TAKES_US)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    return super(_Socket, connection).send


class Outbox:
    def __init__(self) -> None:
        self._frames: deque[memoryview] = deque()
        self.waiting = 0
        """Bytes."""
        self._send: Send | None = None
        self._lock = _thread.allocate_lock()
        self._holder = 0

    @property
    def full(self) -> bool:
        """Does more wait than is kept?"""
        return self.waiting > MOST_WAITING

    @property
    def in_use(self) -> bool:
        """Has a thread acquired it?"""
        return self._holder != 0

    @property
    def connected(self) -> bool:
        return self._send is not None

    def __bool__(self) -> bool:
        """Is anything left that can be sent?"""
        return self.connected and bool(self._frames)

    def connect(self, send: Send) -> None:
        self._send = send

    def disconnect(self) -> None:
        """From any thread, also while another one sends."""
        self._send = None
        if self.acquire(wait=False):
            self.release()

    def acquire(self, wait: bool) -> bool:
        """Before anything else is asked of it. False if another thread has it and ``wait`` is not asked for.

        Also to a signal handler that has interrupted the sending itself: that would wait for ever.
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
        """Send of the first frame what the parent takes within 20 ms; whether it took any.

        Waits without the GIL. Raises OSError when the parent is gone or the script closed the socket.
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
