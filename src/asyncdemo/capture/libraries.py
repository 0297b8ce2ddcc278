"""What a task waits for inside well-known libraries, which build their own primitives from asyncio's.

A bare future of ``aiohttp`` or an ``asyncio.Event`` inside an ``anyio`` stream says nothing; the library's
coroutine that awaits it does. Only functions that wait for one thing are listed.
"""

from __future__ import annotations

import os
from types import CodeType
from typing import Any

from asyncdemo.capture.recorder import QUEUED, WAITING

Reason = tuple[str, int]

_READ, _WRITE = ("net.read", WAITING), ("net.write", WAITING)
_POOL = ("connection pool", QUEUED)
_REASONS: dict[str, dict[str, Reason]] = {
    "aiohttp": {
        "BaseConnector._wait_for_available_connection": _POOL,
        "BaseProtocol._drain_helper": _WRITE,
        "ClientWebSocketResponse.receive": _READ,
        "DataQueue.read": _READ,
        "RequestHandler.start": _READ,
        "StreamReader._wait": _READ,
        "WebSocketResponse.receive": _READ,
    },
    "anyio": {
        "AsyncIOBackend.run_sync_in_worker_thread": ("thread", WAITING),
        "CapacityLimiter.acquire_on_behalf_of": ("semaphore", QUEUED),
        "Condition.wait": ("condition", WAITING),
        "ConnectedUDPSocket.receive": _READ,
        "Lock.acquire": ("lock", QUEUED),
        "MemoryObjectReceiveStream.receive": ("empty queue", WAITING),
        "MemoryObjectSendStream.send": ("full queue", QUEUED),
        "Semaphore.acquire": ("semaphore", QUEUED),
        "SocketStream.receive": _READ,
        "SocketStream.send": _WRITE,
        "TaskGroup.__aexit__": ("taskgroup", WAITING),
        "UDPSocket.receive": _READ,
    },
    "httpcore": {
        "AsyncPoolRequest.wait_for_connection": _POOL,
    },
    "websockets": {
        "Assembler.get": _READ,
        "Assembler.get_iter": _READ,
    },
}


class Libraries:
    """Looks at the chain of suspended coroutines from its innermost end."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[str, Reason] | None] = {}

    def reason(self, codes: list[CodeType | None]) -> Reason | None:
        """codes: those of the suspended coroutines, innermost first, without asyncio's own.

        The first listed one tells; as soon as the code is nobody's that is known here, nothing does.
        """
        for code in codes:
            table = None if code is None else self._table(code.co_filename)
            if code is None or table is None:
                return None
            found = table.get(code.co_qualname)
            if found is not None:
                return found
        return None

    def _table(self, filename: str) -> dict[str, Reason] | None:
        if filename not in self._tables:
            self._tables[filename] = _REASONS.get(_package(filename))
        return self._tables[filename]


def _package(filename: str) -> str:
    """``anyio`` for ``.../site-packages/anyio/streams/memory.py``; empty for code that is not installed."""
    parts = filename.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return parts[parts.index(folder) + 1]
    return ""


def is_known(modules: dict[str, Any]) -> bool:
    """Is any of these libraries imported?"""
    return any(name in modules for name in _REASONS)
