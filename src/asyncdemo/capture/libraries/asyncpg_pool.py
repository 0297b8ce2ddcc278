"""Observes asyncpg's pool. It has a *holder* for each connection that it may have; callers queue for one."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, at_end, observing, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.libraries.pool_registry import Call, Connection, PoolRegistry

NAME = "asyncpg"


def _made(pools: PoolRegistry, pool: Any) -> None:
    pools.made(pool, NAME, pool._maxsize)


class _Taking(Call):
    """A caller has got a holder, which may have to open its connection first."""

    def begin(self) -> None:
        holder = self.arguments[0]
        _taken.add(id(holder))
        connection = self.pools.of(holder._con)
        if connection is not None and connection.index is not None:
            self.pools.hold(connection)

    def ends(self, error: BaseException | None) -> None:
        holder = self.arguments[0]
        _taken.discard(id(holder))
        connection = None if error is None else self.pools.of(holder._con)
        if connection is not None:
            self.pools.let_go(connection)


_taken: set[int] = set()
"""id(holder) of the holders that are being prepared for a caller."""
_handed_out: dict[int, Connection] = {}
"""id(proxy) -> the connection that the caller has through it; the proxy forgets it when that is closed."""


class _Connecting(Call):
    def begin(self) -> None:
        holder = self.arguments[0]
        self._connection: Connection | None = self.pools.expect(holder._pool)
        if self._connection is None:
            return
        if id(holder) in _taken:
            self.pools.hold(self._connection)
        self.pools.opening(self._connection)

    def ends(self, error: BaseException | None) -> None:
        if self._connection is None:
            return
        opened = self.arguments[0]._con
        if error is None and opened is not None:
            self.pools.bind(self._connection, opened)
            self.pools.ready(self._connection)
        else:
            self.pools.close(self._connection)
            self.pools.let_go(self._connection)


class _Asking(Call):
    def ends(self, error: BaseException | None) -> None:
        if isinstance(error, TimeoutError):
            self.pools.refused(self.arguments[0], self.begun_ns)


def _acquired(pools: PoolRegistry, _: Any, proxy: Any) -> None:
    """With a time limit, Python 3.11 acquires in a separate task; the connection is the caller's."""
    connection = pools.of(proxy._con)
    if connection is not None:
        pools.hold(connection)
        _handed_out[id(proxy)] = connection


def _released(pools: PoolRegistry, holder: Any) -> None:
    """A holder is free again, maybe because its connection was closed without having been given back."""
    connection = None if holder._con is None else pools.of(holder._con)
    if connection is not None and connection.index is not None:
        pools.let_go(connection)


def _given_back(pools: PoolRegistry, _: Any, proxy: Any, *rest: Any) -> None:
    """A connection that was closed while the caller had it is given back, too; an open one is reset first.

    That happens in a separate task, which survives if the caller is cancelled.
    """
    connection = _handed_out.pop(id(proxy), None)
    if connection is None:
        return
    if connection.index is None:
        pools.let_go(connection)
    else:
        connection.giver = pools.loops.current_track()


def _install_pool(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "Pool.__init__", pools.hook(_made), at_end)
    patches.rewrite(module, "PoolConnectionHolder.connect", pools.observed(_Connecting), observing)
    patches.rewrite(module, "PoolConnectionHolder.acquire", pools.observed(_Taking), observing)
    patches.rewrite(module, "PoolConnectionHolder._release", pools.hook(_released), on_entry)
    for method in ("close", "terminate"):
        patches.rewrite(module, f"Pool.{method}", pools.hook(PoolRegistry.shut), on_entry)
    patches.rewrite(module, "Pool.release", pools.hook(_given_back), on_entry_with_all)
    patches.rewrite(module, "Pool._acquire", pools.passing(_acquired), on_return)
    patches.rewrite(module, "Pool._acquire", pools.observed(_Asking), observing)


def _install_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    for method in ("_cleanup", "_abort"):
        patches.rewrite(module, f"Connection.{method}", pools.hook(PoolRegistry.closed), on_entry)


MODULES = {"asyncpg.pool": _install_pool, "asyncpg.connection": _install_connection}
