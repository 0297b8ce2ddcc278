"""Observes psycopg_pool's pools, for threads and for asyncio, and what psycopg waits for in threads.

A pool's workers open connections in the background; callers wait in the pool's queue meanwhile.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, around, at_end, observing, on_entry, on_entry_with_all
from asyncdemo.capture.libraries.pool_registry import Call, Connection, PoolRegistry

NAME = "psycopg"
_REFUSALS = ("PoolTimeout", "TooManyRequests")


def _made(pools: PoolRegistry, pool: Any) -> None:
    pools.made(pool, NAME, pool._max_size or None)


class _Connecting(Call):
    def begin(self) -> None:
        self._connection: Connection | None = self.pools.expect(self.arguments[0])
        if self._connection is not None:
            self.pools.opening(self._connection)

    def returns(self, opened: Any) -> None:
        if self._connection is not None:
            self.pools.bind(self._connection, opened)
            self.pools.ready(self._connection)

    def ends(self, error: BaseException | None) -> None:
        if error is not None and self._connection is not None:
            self.pools.close(self._connection)


class _Asking(Call):
    def returns(self, opened: Any) -> None:
        connection = self.pools.of(opened)
        if connection is not None:
            self.pools.hold(connection)

    def ends(self, error: BaseException | None) -> None:
        if type(error).__name__ in _REFUSALS:
            self.pools.refused(self.arguments[0], self.begun_ns)


class _AskingInThread(_Asking):
    def begin(self) -> None:
        self._label = self.pools.queueing(self.arguments[0])
        self._label.__enter__()

    def ends(self, error: BaseException | None) -> None:
        self._label.__exit__()
        super().ends(error)


class _Returning(Call):
    """The pool does not close a connection that turns out to be lost: it abandons it."""

    def begin(self) -> None:
        self._connection = self.pools.of(self.arguments[1])
        if self._connection is not None:
            self.pools.let_go(self._connection)
            self._note_if_closed()  # before another one is opened for it

    def ends(self, error: BaseException | None) -> None:
        self._note_if_closed()

    def _note_if_closed(self) -> None:
        if self._connection is not None and self.arguments[1].closed:
            self.pools.close(self._connection)


def _closed_by_pool(pools: PoolRegistry, _: Any, connection: Any) -> None:
    known = pools.of(connection)
    if known is not None:
        pools.let_go(known)
        pools.close(known)


def _install_base(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "BasePool.__init__", pools.hook(_made), at_end)


def _install(
    pools: PoolRegistry, patches: Patches, module: ModuleType, owner: str, asking: type[Call]
) -> None:
    patches.rewrite(module, f"{owner}._connect", pools.observed(_Connecting), observing)
    patches.rewrite(module, f"{owner}._getconn_unchecked", pools.observed(asking), observing)
    patches.rewrite(module, f"{owner}._putconn", pools.observed(_Returning), observing)
    patches.rewrite(module, f"{owner}.close", pools.hook(PoolRegistry.shut), on_entry)
    patches.rewrite(module, f"{owner}._close_connection", pools.hook(_closed_by_pool), on_entry_with_all)


def _install_threads(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    _install(pools, patches, module, "ConnectionPool", _AskingInThread)


def _install_asyncio(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    _install(pools, patches, module, "AsyncConnectionPool", _Asking)


def _install_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    waits = pools.waits
    patches.rewrite(module, "Connection.connect", lambda _: waits.waiting("net.connect"), around)
    patches.rewrite(module, "Connection.wait", lambda _: waits.waiting("sql"), around)
    patches.rewrite(module, "Connection.close", pools.hook(PoolRegistry.closed), on_entry)


def _install_async_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "AsyncConnection.close", pools.hook(PoolRegistry.closed), on_entry)


MODULES = {
    "psycopg_pool.base": _install_base,
    "psycopg_pool.pool": _install_threads,
    "psycopg_pool.pool_async": _install_asyncio,
    "psycopg.connection": _install_connection,
    "psycopg.connection_async": _install_async_connection,
}
