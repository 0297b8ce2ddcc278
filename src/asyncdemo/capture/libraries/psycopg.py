"""Observes psycopg_pool's pools, for threads and for asyncio, and what psycopg waits for in threads.

A pool's workers open connections in the background; callers wait in the pool's queue meanwhile.
"""

from __future__ import annotations

from typing import Any

from asyncdemo.capture.instrument import around, at_end, observing, on_entry, on_entry_with_all
from asyncdemo.capture.libraries.library import CONNECT, POOL, Hook, Library, Package
from asyncdemo.capture.libraries.pool_registry import Asking, Opening, PoolKind, PoolRegistry, Returning
from asyncdemo.capture.recorder import WAITING

_KIND = PoolKind("psycopg", "sql", size="`max_size`", giving_back="`with pool.connection() as connection:`")


def _made(pools: PoolRegistry, pool: Any) -> None:
    pools.made(pool, _KIND, pool._max_size or None)


class _Asking(Asking):
    def is_refusal(self, error: BaseException) -> bool:
        return type(error).__name__ in ("PoolTimeout", "TooManyRequests")


class _AskingInThread(_Asking):
    in_thread = True


def _closed_by_pool(pools: PoolRegistry, _: Any, connection: Any) -> None:
    pools.returned(connection)
    pools.closed(connection)


def _connecting(pools: PoolRegistry, _: Any) -> Any:
    return pools.waits.waiting("net.connect")


def _waiting(pools: PoolRegistry, _: Any) -> Any:
    return pools.waits.waiting("sql")


def _hooks(owner: str, asking: type[Asking]) -> tuple[Hook, ...]:
    return (
        (f"{owner}._connect", observing, Opening),
        (f"{owner}._getconn_unchecked", observing, asking),
        (f"{owner}._putconn", observing, Returning),
        (f"{owner}.close", on_entry, PoolRegistry.shut),
        (f"{owner}._close_connection", on_entry_with_all, _closed_by_pool),
    )


LIBRARY = Library(
    packages={
        "psycopg": Package({"AsyncConnection.connect": CONNECT}, service="sql"),
        "psycopg_pool": Package(
            {
                "AsyncConnectionPool._getconn_unchecked": POOL,
                "AsyncConnectionPool.wait": ("event", WAITING),
                "AsyncConnectionPool.worker": ("empty queue", WAITING),
                "AsyncScheduler.run": ("event", WAITING),
            }
        ),
    },
    hooks={
        "psycopg_pool.base": (("BasePool.__init__", at_end, _made),),
        "psycopg_pool.pool": _hooks("ConnectionPool", _AskingInThread),
        "psycopg_pool.pool_async": _hooks("AsyncConnectionPool", _Asking),
        "psycopg.connection": (
            ("Connection.connect", around, _connecting),
            ("Connection.wait", around, _waiting),
            ("Connection.close", on_entry, PoolRegistry.closed),
        ),
        "psycopg.connection_async": (("AsyncConnection.close", on_entry, PoolRegistry.closed),),
    },
    title="psycopg_pool",
    pools=_KIND,
)
