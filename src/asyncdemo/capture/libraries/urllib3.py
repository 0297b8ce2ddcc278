"""Observes urllib3's pools, which ``requests`` and boto3 use: one per host; a client's belong together."""

from __future__ import annotations

import sys
from functools import partial
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, at_end, observing, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.libraries.library import Library
from asyncdemo.capture.libraries.pool_registry import Asking, Connecting, PoolKind, PoolRegistry

_KIND = PoolKind(
    "http",
    is_http=True,
    size="its limit (`maxsize`; with requests `pool_maxsize`)",
    giving_back="`with session.get(...) as response:`",
)
_MAKES_FOR_A_HOST = "PoolManager._new_pool"
_SENDS_FOR_AWS = "URLLib3Session.send"


def _made(pools: PoolRegistry, pool: Any) -> None:
    """The pool of one host was made. A client with pools of several hosts counts as the pool."""
    client = pool
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not pools.recorder.origins.is_user(frame.f_code.co_filename):
        name = frame.f_code.co_qualname
        if name == _MAKES_FOR_A_HOST:
            client = frame.f_locals.get("self", pool)
        if name == _SENDS_FOR_AWS and pools.works_for(pool, frame.f_locals.get("self")):
            return
        frame = frame.f_back
    if pools.resource_of(client) is None:
        limited = pool.block and pool.pool is not None
        pools.made(client, _KIND, pool.pool.maxsize if limited else None)
    pools.works_for(pool, client)


class _Asking(Asking):
    in_thread = True

    def is_refusal(self, error: BaseException) -> bool:
        return type(error).__name__ == "EmptyPoolError"


def _given_back(pools: PoolRegistry, _: Any, connection: Any) -> None:
    pools.returned(connection)


def _install_pool(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "HTTPConnectionPool.__init__", partial(_made, pools), at_end)
    for owner in ("HTTPConnectionPool", "HTTPSConnectionPool"):
        patches.rewrite(module, f"{owner}._new_conn", pools.adopt, on_return)
    patches.rewrite(module, "HTTPConnectionPool._get_conn", partial(_Asking, pools), observing)
    patches.rewrite(module, "HTTPConnectionPool.close", pools.shut, on_entry)
    patches.rewrite(module, "HTTPConnectionPool._put_conn", partial(_given_back, pools), on_entry_with_all)


def _install_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    for owner in ("HTTPConnection", "HTTPSConnection"):
        patches.rewrite(module, f"{owner}.connect", partial(Connecting, pools), observing)
        patches.rewrite(module, f"{owner}.close", pools.closed, on_entry)


def _install_manager(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    """Closing a client of several hosts drops its pools, whose connections are left to be collected."""
    patches.rewrite(module, "PoolManager.clear", pools.shut, on_entry)


LIBRARY = Library(
    modules={
        "urllib3.connection": _install_connection,
        "urllib3.connectionpool": _install_pool,
        "urllib3.poolmanager": _install_manager,
    },
    title="urllib3, which requests uses",
    pools=_KIND,
    parts=("urllib3",),
)
