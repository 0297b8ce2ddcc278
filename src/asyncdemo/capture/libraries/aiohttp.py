"""Observes the connector of an aiohttp client session, which is a pool. An aiobotocore client has its own."""

from __future__ import annotations

import sys
from functools import partial
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, at_end, observing, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.libraries.library import CONNECT, POOL, READ, WRITE, Library, Package
from asyncdemo.capture.libraries.pool_registry import Opening, PoolKind, PoolRegistry

_KIND = PoolKind(
    "http",
    is_http=True,
    size="the `limit` of aiohttp's connector",
    giving_back="`async with session.get(...) as response:`",
)
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
        pools.made(connector, _KIND, connector._limit or None)


class _Creating(Opening):
    def is_for_caller(self) -> bool:
        return True


def _found(pools: PoolRegistry, _: Any, connection: Any) -> Any:
    """It is an idle connection, or None; older versions return the protocol itself."""
    pools.taken(getattr(connection, "_protocol", connection))
    return connection


def _released(pools: PoolRegistry, _: Any, key: Any, protocol: Any, *rest: Any) -> None:
    pools.returned(protocol)


def _install_connector(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "BaseConnector.__init__", partial(_made, pools), at_end)
    for owner in ("TCPConnector", "UnixConnector", "NamedPipeConnector"):
        patches.rewrite(module, f"{owner}._create_connection", partial(_Creating, pools), observing)
    patches.rewrite(module, "BaseConnector.close", pools.shut, on_entry)
    patches.rewrite(module, "BaseConnector._get", partial(_found, pools), on_return)
    patches.rewrite(module, "BaseConnector._release", partial(_released, pools), on_entry_with_all)


def _install_protocol(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    for method in ("close", "abort", "connection_lost"):
        patches.rewrite(module, f"ResponseHandler.{method}", pools.closed, on_entry)


LIBRARY = Library(
    packages={
        "aiohappyeyeballs": Package({"start_connection": CONNECT}),
        "aiohttp": Package(
            {
                "BaseConnector._wait_for_available_connection": POOL,
                "BaseConnector.connect": POOL,  # older than 3.11
                "TCPConnector._create_connection": CONNECT,
                "BaseProtocol._drain_helper": WRITE,
                "ClientRequest.write_bytes": READ,  # of "100 Continue"
                "ClientWebSocketResponse.receive": READ,
                "DataQueue.read": READ,
                "RequestHandler.start": READ,
                "StreamReader._wait": READ,
                "WebSocketResponse.receive": READ,
            }
        ),
    },
    modules={"aiohttp.connector": _install_connector, "aiohttp.client_proto": _install_protocol},
    title="aiohttp",
    pools=_KIND,
)
