"""Observes asyncpg's pool. It has a *holder* for each connection that it may have; callers queue for one."""

from __future__ import annotations

from typing import Any

from asyncdemo.capture.instrument import at_end, observing, on_entry, on_entry_with_all
from asyncdemo.capture.libraries.library import CONNECT, POOL, Library, Package
from asyncdemo.capture.libraries.pool_registry import (
    Asking,
    Call,
    Connection,
    Opening,
    PoolKind,
    PoolRegistry,
)
from asyncdemo.capture.recorder import WAITING

_KIND = PoolKind(
    "asyncpg", "sql", size="`max_size`", giving_back="`async with pool.acquire() as connection:`"
)


def _made(pools: PoolRegistry, pool: Any) -> None:
    pools.made(pool, _KIND, pool._maxsize)


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


class _Connecting(Opening):
    def pool(self) -> Any:
        return self.arguments[0]._pool

    def is_for_caller(self) -> bool:
        return id(self.arguments[0]) in _taken

    def ends(self, error: BaseException | None) -> None:
        if error is None:
            self.returns(self.arguments[0]._con)
        super().ends(error)


class _Asking(Asking):
    def is_refusal(self, error: BaseException) -> bool:
        return isinstance(error, TimeoutError)

    def returns(self, proxy: Any) -> None:
        """With a time limit, Python 3.11 acquires in a separate task; the connection is the caller's."""
        connection = self.pools.of(proxy._con)
        if connection is not None:
            self.pools.hold(connection)
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


LIBRARY = Library(
    packages={
        "asyncpg": Package(
            {
                "Pool._acquire.<locals>._acquire_impl": POOL,
                "PoolConnectionHolder.connect": CONNECT,
                "PoolConnectionHolder.wait_until_released": ("event", WAITING),
                "connect": CONNECT,
            },
            service="sql",
        )
    },
    hooks={
        "asyncpg.pool": (
            ("Pool.__init__", at_end, _made),
            ("PoolConnectionHolder.connect", observing, _Connecting),
            ("PoolConnectionHolder.acquire", observing, _Taking),
            ("PoolConnectionHolder._release", on_entry, _released),
            ("Pool.close", on_entry, PoolRegistry.shut),
            ("Pool.terminate", on_entry, PoolRegistry.shut),
            ("Pool.release", on_entry_with_all, _given_back),
            ("Pool._acquire", observing, _Asking),
        ),
        "asyncpg.connection": (
            ("Connection._cleanup", on_entry, PoolRegistry.closed),
            ("Connection._abort", on_entry, PoolRegistry.closed),
        ),
    },
    title="asyncpg",
    pools=_KIND,
)
