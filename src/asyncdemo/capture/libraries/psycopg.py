"""Observes psycopg_pool's pools, for threads and for asyncio, and what psycopg waits for in threads.

A pool's workers open connections in the background; callers wait in the pool's queue meanwhile.
"""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, around, at_end, observing, on_entry, on_entry_with_all
from asyncdemo.capture.libraries.library import CONNECT, POOL, Library, Package
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


def _install_base(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "BasePool.__init__", partial(_made, pools), at_end)


def _install(
    pools: PoolRegistry, patches: Patches, module: ModuleType, owner: str, asking: type[Asking]
) -> None:
    patches.rewrite(module, f"{owner}._connect", partial(Opening, pools), observing)
    patches.rewrite(module, f"{owner}._getconn_unchecked", partial(asking, pools), observing)
    patches.rewrite(module, f"{owner}._putconn", partial(Returning, pools), observing)
    patches.rewrite(module, f"{owner}.close", pools.shut, on_entry)
    patches.rewrite(module, f"{owner}._close_connection", partial(_closed_by_pool, pools), on_entry_with_all)


def _install_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    waits = pools.waits
    patches.rewrite(module, "Connection.connect", lambda _: waits.waiting("net.connect"), around)
    patches.rewrite(module, "Connection.wait", lambda _: waits.waiting("sql"), around)
    patches.rewrite(module, "Connection.close", pools.closed, on_entry)


def _install_async_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "AsyncConnection.close", pools.closed, on_entry)


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
    modules={
        "psycopg_pool.base": _install_base,
        "psycopg_pool.pool": partial(_install, owner="ConnectionPool", asking=_AskingInThread),
        "psycopg_pool.pool_async": partial(_install, owner="AsyncConnectionPool", asking=_Asking),
        "psycopg.connection": _install_connection,
        "psycopg.connection_async": _install_async_connection,
    },
    title="psycopg_pool",
    pools=_KIND,
)
