"""Observes the connector of an aiohttp client session, which is a pool. An aiobotocore client has its own."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from asyncdemo.capture.instrument import at_end, observing, on_entry, on_entry_with_all, on_return
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
    hooks={
        "aiohttp.connector": (
            ("BaseConnector.__init__", at_end, _made),
            ("TCPConnector._create_connection", observing, _Creating),
            ("UnixConnector._create_connection", observing, _Creating),
            ("NamedPipeConnector._create_connection", observing, _Creating),
            ("BaseConnector.close", on_entry, PoolRegistry.shut),
            ("BaseConnector._get", on_return, _found),
            ("BaseConnector._release", on_entry_with_all, _released),
        ),
        "aiohttp.client_proto": (
            ("ResponseHandler.close", on_entry, PoolRegistry.closed),
            ("ResponseHandler.abort", on_entry, PoolRegistry.closed),
            ("ResponseHandler.connection_lost", on_entry, PoolRegistry.closed),
        ),
    },
    title="aiohttp",
    pools=_KIND,
)
