"""Observes the connector of an aiohttp client session, which is a pool. An aiobotocore client has its own."""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, at_end, observing, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.libraries.pool_registry import ANY_SERVICE, Call, PoolRegistry

_CREATES_FOR_AWS = "_create_connector"
"""The method of aiobotocore's HTTP session that makes the connector; the client counts as the pool."""


def _made(pools: PoolRegistry, connector: Any) -> None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != _CREATES_FOR_AWS:
        if pools.recorder.origins.is_user(frame.f_code.co_filename):
            frame = None
            break
        frame = frame.f_back
    if frame is None or not pools.works_for(connector, frame.f_locals.get("self")):
        pools.made(connector, ANY_SERVICE, connector._limit or None)


class _Creating(Call):
    """Opening a connection for the request that waits for it."""

    def begin(self) -> None:
        self._connection = self.pools.expect(self.arguments[0])
        if self._connection is not None:
            self.pools.hold(self._connection)
            self.pools.opening(self._connection)

    def returns(self, protocol: Any) -> None:
        if self._connection is not None:
            self.pools.bind(self._connection, protocol)
            self.pools.ready(self._connection)

    def ends(self, error: BaseException | None) -> None:
        if error is not None and self._connection is not None:
            self.pools.close(self._connection)
            self.pools.let_go(self._connection)


def _found(pools: PoolRegistry, _: Any, connection: Any) -> None:
    """It is an idle connection, or None; older versions return the protocol itself."""
    known = None if connection is None else pools.of(getattr(connection, "_protocol", connection))
    if known is not None:
        pools.hold(known)


def _released(pools: PoolRegistry, _: Any, key: Any, protocol: Any, *rest: Any) -> None:
    known = pools.of(protocol)
    if known is not None:
        pools.let_go(known)


def _install_connector(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "BaseConnector.__init__", pools.hook(_made), at_end)
    for owner in ("TCPConnector", "UnixConnector", "NamedPipeConnector"):
        patches.rewrite(module, f"{owner}._create_connection", pools.observed(_Creating), observing)
    patches.rewrite(module, "BaseConnector.close", pools.hook(PoolRegistry.shut), on_entry)
    patches.rewrite(module, "BaseConnector._get", pools.passing(_found), on_return)
    patches.rewrite(module, "BaseConnector._release", pools.hook(_released), on_entry_with_all)


def _install_protocol(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    for method in ("close", "abort", "connection_lost"):
        patches.rewrite(module, f"ResponseHandler.{method}", pools.hook(PoolRegistry.closed), on_entry)


MODULES = {"aiohttp.connector": _install_connector, "aiohttp.client_proto": _install_protocol}
