"""Observes pools of redis-py, for threads and asyncio, plain and blocking (in which callers wait).

A connection object connects when it is handed out, and again after it was closed. So ``connect`` is where it
is taken, and ``release`` is where it is given back.
"""

from __future__ import annotations

from typing import Any

from asyncdemo.capture.instrument import (
    around,
    at_end,
    observing,
    on_entry,
    on_entry_with_all,
    on_return,
)
from asyncdemo.capture.libraries.library import CONNECT, POOL, Hook, Library, Package
from asyncdemo.capture.libraries.pool_registry import Asking, Connecting, PoolKind, PoolRegistry
from asyncdemo.capture.recorder import WAITING

_SERVICE = "redis"
_KIND = PoolKind(
    "redis",
    _SERVICE,
    size="`max_connections`",
    giving_back="leave it to the client's commands, or `release(connection)` in a `finally`",
    if_refused=(
        "`BlockingConnectionPool` lets callers wait for a connection, up to its `timeout`; "
        "`ConnectionPool` raises immediately."
    ),
)

_UNLIMITED = 2**31
"""The default of older versions."""


def _made(pools: PoolRegistry, pool: Any) -> None:
    limit = pool.max_connections
    pools.made(pool, _KIND, None if not limit or limit >= _UNLIMITED else limit)


def _connection_made(pools: PoolRegistry, pool: Any, connection: Any) -> Any:
    pools.adopt(pool, _connecting(connection))
    return connection


def _connecting(connection: Any) -> Any:
    """With a client-side cache, there is a connection within the connection."""
    return getattr(connection, "_conn", connection)


def _is_open(connection: Any) -> bool:
    if hasattr(connection, "_sock"):
        return connection._sock is not None
    return getattr(connection, "_writer", None) is not None


class _Connecting(Connecting):
    def begin(self) -> None:
        connecting = self.arguments[0]
        connection = self.pools.of(connecting)
        if connection is not None and connection.holder is None:
            self.pools.hold(connection)
        if _is_open(connecting):
            self.opened = None
        else:
            super().begin()


class _Asking(Asking):
    def is_refusal(self, error: BaseException) -> bool:
        return type(error).__name__ == "MaxConnectionsError" or str(error) in (
            "Too many connections",
            "No connection available.",
        )


class _AskingInThread(_Asking):
    in_thread = True


def _released(pools: PoolRegistry, _: Any, connection: Any) -> None:
    pools.returned(_connecting(connection))


def _disconnected(pools: PoolRegistry, pool: Any, in_use_too: Any = True) -> None:
    """Called when a client, or the pool itself, is closed."""
    if in_use_too:
        pools.shut(pool)


def _serving(pools: PoolRegistry, _: Any) -> Any:
    return pools.waits.serving(_SERVICE)


_POOLS: tuple[Hook, ...] = (
    ("ConnectionPool.__init__", at_end, _made),
    ("ConnectionPool.make_connection", on_return, _connection_made),
    ("ConnectionPool.release", on_entry_with_all, _released),
    ("ConnectionPool.disconnect", on_entry_with_all, _disconnected),
    ("ConnectionPool.get_connection", observing, _Asking),
    ("BlockingConnectionPool.make_connection", on_return, _connection_made),
    ("BlockingConnectionPool.release", on_entry_with_all, _released),
    ("BlockingConnectionPool.disconnect", on_entry_with_all, _disconnected),
    ("AbstractConnection.connect", observing, _Connecting),
    ("AbstractConnection.disconnect", on_entry, PoolRegistry.closed),
    ("AbstractConnection._close", on_entry, PoolRegistry.closed),
)
"""For threads and for asyncio."""

LIBRARY = Library(
    packages={
        "redis": Package(
            {
                "AbstractConnection.connect": CONNECT,
                "AbstractConnection.read_response": (_SERVICE, WAITING),
                "AbstractConnection.send_packed_command": (_SERVICE, WAITING),
                "BlockingConnectionPool.get_connection": POOL,
            },
            service=_SERVICE,
        )
    },
    hooks={
        "redis.connection": (
            *_POOLS,
            ("BlockingConnectionPool.get_connection", observing, _AskingInThread),
            ("AbstractConnection.read_response", around, _serving),
            ("AbstractConnection.send_packed_command", around, _serving),
        ),
        "redis.asyncio.connection": (
            *_POOLS,
            ("BlockingConnectionPool.get_connection", observing, _Asking),
        ),
    },
    title="redis-py",
    pools=_KIND,
)
