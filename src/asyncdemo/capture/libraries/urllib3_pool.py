"""Observes urllib3's pools, which ``requests`` and boto3 use: one per host; a client's belong together."""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, at_end, observing, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.libraries.pool_registry import ANY_SERVICE, Call, PoolRegistry

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
        pools.made(client, ANY_SERVICE, pool.pool.maxsize if limited else None)
    pools.works_for(pool, client)


def _connection_made(pools: PoolRegistry, pool: Any, connection: Any) -> None:
    expected = pools.expect(pool)
    if expected is not None:
        pools.bind(expected, connection)


class _Asking(Call):
    def begin(self) -> None:
        self._label = self.pools.queueing(self.arguments[0])
        self._label.__enter__()

    def returns(self, connection: Any) -> None:
        known = self.pools.of(connection)
        if known is not None:
            self.pools.hold(known)

    def ends(self, error: BaseException | None) -> None:
        self._label.__exit__()
        if type(error).__name__ == "EmptyPoolError":
            self.pools.refused(self.arguments[0], self.begun_ns)


class _Connecting(Call):
    def begin(self) -> None:
        self._connection = self.pools.of(self.arguments[0])
        if self._connection is not None and self._connection.index is None:
            self.pools.opening(self._connection)

    def ends(self, error: BaseException | None) -> None:
        if self._connection is None:
            return
        if error is None:
            self.pools.ready(self._connection)
        else:
            self.pools.close(self._connection)


def _given_back(pools: PoolRegistry, _: Any, connection: Any) -> None:
    known = None if connection is None else pools.of(connection)
    if known is not None:
        pools.let_go(known)


def _install_pool(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "HTTPConnectionPool.__init__", pools.hook(_made), at_end)
    for owner in ("HTTPConnectionPool", "HTTPSConnectionPool"):
        patches.rewrite(module, f"{owner}._new_conn", pools.passing(_connection_made), on_return)
    patches.rewrite(module, "HTTPConnectionPool._get_conn", pools.observed(_Asking), observing)
    patches.rewrite(module, "HTTPConnectionPool.close", pools.hook(PoolRegistry.shut), on_entry)
    patches.rewrite(module, "HTTPConnectionPool._put_conn", pools.hook(_given_back), on_entry_with_all)


def _install_connection(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    for owner in ("HTTPConnection", "HTTPSConnection"):
        patches.rewrite(module, f"{owner}.connect", pools.observed(_Connecting), observing)
        patches.rewrite(module, f"{owner}.close", pools.hook(PoolRegistry.closed), on_entry)


def _install_manager(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    """Closing a client of several hosts drops its pools, whose connections are left to be collected."""
    patches.rewrite(module, "PoolManager.clear", pools.hook(PoolRegistry.shut), on_entry)


MODULES = {
    "urllib3.connection": _install_connection,
    "urllib3.connectionpool": _install_pool,
    "urllib3.poolmanager": _install_manager,
}
