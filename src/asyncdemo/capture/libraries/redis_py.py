"""Observes pools of redis-py, for threads and asyncio, plain and blocking (in which callers wait).

A connection object connects when it is handed out, and again after it was closed. So ``connect`` is where it
is taken, and ``release`` is where it is given back.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from asyncdemo.capture.instrument import (
    Patches,
    around,
    at_end,
    observing,
    on_entry,
    on_entry_with_all,
    on_return,
)
from asyncdemo.capture.libraries.pool_registry import Call, Connection, PoolRegistry

NAME = "redis"

_UNLIMITED = 2**31
"""The default of older versions."""


def _made(pools: PoolRegistry, pool: Any) -> None:
    limit = pool.max_connections
    pools.made(pool, NAME, None if not limit or limit >= _UNLIMITED else limit)


def _connection_made(pools: PoolRegistry, pool: Any, connection: Any) -> None:
    expected = pools.expect(pool)
    if expected is not None:
        pools.bind(expected, _connecting(connection))


def _connecting(connection: Any) -> Any:
    """With a client-side cache, there is a connection within the connection."""
    return getattr(connection, "_conn", connection)


def _is_open(connection: Any) -> bool:
    if hasattr(connection, "_sock"):
        return connection._sock is not None
    return getattr(connection, "_writer", None) is not None


class _Connecting(Call):
    def begin(self) -> None:
        self._object = self.arguments[0]
        self._opened: Connection | None = None
        connection = self.pools.of(self._object)
        if connection is None:
            return
        if connection.holder is None:
            self.pools.hold(connection)
        if connection.index is None and not _is_open(self._object):
            self._opened = connection
            self.pools.opening(connection)

    def ends(self, error: BaseException | None) -> None:
        if self._opened is None:
            return
        if error is None:
            self.pools.ready(self._opened)
        else:
            self.pools.close(self._opened)


class _Asking(Call):
    def ends(self, error: BaseException | None) -> None:
        if error is None:
            return
        words = str(error)
        if type(error).__name__ == "MaxConnectionsError" or words in (
            "Too many connections",
            "No connection available.",
        ):
            self.pools.refused(self.arguments[0], self.begun_ns)


class _AskingInThread(_Asking):
    def begin(self) -> None:
        self._label = self.pools.queueing(self.arguments[0])
        self._label.__enter__()

    def ends(self, error: BaseException | None) -> None:
        self._label.__exit__()
        super().ends(error)


def _released(pools: PoolRegistry, _: Any, connection: Any) -> None:
    known = pools.of(_connecting(connection))
    if known is not None:
        pools.let_go(known)


def _disconnected(pools: PoolRegistry, pool: Any, in_use_too: Any = True) -> None:
    """Called when a client, or the pool itself, is closed."""
    if in_use_too:
        pools.shut(pool)


def _install(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "ConnectionPool.__init__", pools.hook(_made), at_end)
    for owner in ("ConnectionPool", "BlockingConnectionPool"):
        patches.rewrite(module, f"{owner}.make_connection", pools.passing(_connection_made), on_return)
        patches.rewrite(module, f"{owner}.release", pools.hook(_released), on_entry_with_all)
        patches.rewrite(module, f"{owner}.disconnect", pools.hook(_disconnected), on_entry_with_all)
    patches.rewrite(module, "AbstractConnection.connect", pools.observed(_Connecting), observing)
    patches.rewrite(module, "AbstractConnection.disconnect", pools.hook(PoolRegistry.closed), on_entry)
    patches.rewrite(module, "AbstractConnection._close", pools.hook(PoolRegistry.closed), on_entry)


def _install_blocking(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    _install(pools, patches, module)
    patches.rewrite(module, "ConnectionPool.get_connection", pools.observed(_Asking), observing)
    patches.rewrite(
        module, "BlockingConnectionPool.get_connection", pools.observed(_AskingInThread), observing
    )

    def serving(_: Any) -> Any:
        return pools.waits.serving(NAME)

    for name in ("read_response", "send_packed_command"):
        patches.rewrite(module, f"AbstractConnection.{name}", serving, around)


def _install_asyncio(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    _install(pools, patches, module)
    for owner in ("ConnectionPool", "BlockingConnectionPool"):
        patches.rewrite(module, f"{owner}.get_connection", pools.observed(_Asking), observing)


MODULES = {"redis.connection": _install_blocking, "redis.asyncio.connection": _install_asyncio}
