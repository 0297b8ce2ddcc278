"""Tells what a task waits for inside well-known libraries, which build their own primitives from asyncio's.

A bare future of ``aiohttp`` or an ``asyncio.Event`` inside an ``anyio`` stream says nothing; the library's
coroutine that awaits it does. Only functions that always wait for the same thing are listed.
"""

from __future__ import annotations

import os
from types import CodeType
from typing import Any

from asyncdemo.capture.recorder import QUEUED, WAITING

Reason = tuple[str, int]

_READ, _WRITE = ("net.read", WAITING), ("net.write", WAITING)
_CONNECT = ("net.connect", WAITING)
_POOL = ("connection pool", QUEUED)
SERVICES = {"asyncpg": "sql", "psycopg": "sql", "redis": "redis"}
"""What libraries that talk to a single service wait for, unless ``_REASONS`` has something else."""
_REASONS: dict[str, dict[str, Reason]] = {
    "aiobotocore": {},
    "aiohappyeyeballs": {"start_connection": _CONNECT},
    "aiohttp": {
        "BaseConnector._wait_for_available_connection": _POOL,
        "BaseConnector.connect": _POOL,  # older than 3.11
        "TCPConnector._create_connection": _CONNECT,
        "BaseProtocol._drain_helper": _WRITE,
        "ClientRequest.write_bytes": _READ,  # of "100 Continue"
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
    "asyncpg": {
        "Pool._acquire.<locals>._acquire_impl": _POOL,
        "PoolConnectionHolder.connect": _CONNECT,
        "PoolConnectionHolder.wait_until_released": ("event", WAITING),
        "connect": _CONNECT,
    },
    "httpcore": {
        "AsyncPoolRequest.wait_for_connection": _POOL,
    },
    "psycopg": {
        "AsyncConnection.connect": _CONNECT,
    },
    "psycopg_pool": {
        "AsyncConnectionPool._getconn_unchecked": _POOL,
        "AsyncConnectionPool.wait": ("event", WAITING),
        "AsyncConnectionPool.worker": ("empty queue", WAITING),
        "AsyncScheduler.run": ("event", WAITING),
    },
    "redis": {
        "AbstractConnection.connect": _CONNECT,
        "AbstractConnection.read_response": ("redis", WAITING),
        "AbstractConnection.send_packed_command": ("redis", WAITING),
        "BlockingConnectionPool.get_connection": _POOL,
    },
    "websockets": {
        "Assembler.get": _READ,
        "Assembler.get_iter": _READ,
    },
}


_WITH_POOLS = frozenset(
    {
        "aiobotocore",
        "aiohttp",
        "asyncpg",
        "boto3",
        "botocore",
        "psycopg",
        "psycopg2",
        "psycopg_pool",
        "redis",
        "s3transfer",
        "urllib3",
    }
)


def has_pools(filename: str) -> bool:
    """Return whether it is a library whose pools are observed: the pool is the limit, not the locks in it."""
    return _package(filename) in _WITH_POOLS


def stands_for_threading(filename: str) -> bool:
    """Return whether it is gevent, whose locks, like those of the standard library, are not its user's."""
    return _package(filename) == "gevent"


class Libraries:
    """Finds the reason in a chain of suspended coroutines, from its innermost end."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[str, dict[str, Reason]] | None] = {}

    def reason(self, codes: list[CodeType | None]) -> tuple[Reason, int] | None:
        """Return (reason, index of the code that tells it) for suspended coroutines, or None.

        ``codes`` are theirs, innermost first, without asyncio's own. The first listed function tells, or else
        that the code is of a library that talks to a single service. Any unknown code ends the search.
        """
        package = ""
        for place, code in enumerate(codes):
            table = None if code is None else self._table(code.co_filename)
            if (table is None or table[0] != package) and package in SERVICES:
                return (SERVICES[package], WAITING), place - 1
            if code is None or table is None:
                return None
            package = table[0]
            found = table[1].get(code.co_qualname)
            if found is not None:
                return found, place
        return ((SERVICES[package], WAITING), len(codes) - 1) if package in SERVICES else None

    def service(self, code: CodeType | None) -> str:
        """Return what the library talks to, if it talks to a single service; else ""."""
        table = None if code is None else self._table(code.co_filename)
        return "" if table is None else SERVICES.get(table[0], "")

    def _table(self, filename: str) -> tuple[str, dict[str, Reason]] | None:
        if filename not in self._tables:
            package = _package(filename)
            known = _REASONS.get(package)
            self._tables[filename] = None if known is None else (package, known)
        return self._tables[filename]


def _package(filename: str) -> str:
    """``anyio`` for ``.../site-packages/anyio/streams/memory.py``; empty for code that is not installed."""
    parts = filename.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return parts[parts.index(folder) + 1]
    return ""


def is_known(modules: dict[str, Any]) -> bool:
    return any(name in modules for name in _REASONS)
