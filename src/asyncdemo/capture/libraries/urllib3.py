"""Observes urllib3's pools, which ``requests`` and boto3 use: one per host; a client's belong together."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from asyncdemo.capture.frames import is_own
from asyncdemo.capture.instrument import at_end, observing, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.libraries.library import Library
from asyncdemo.capture.libraries.pool_registry import Asking, Connecting, PoolKind, PoolRegistry

_KIND = PoolKind(
    "http",
    is_http=True,
    size="its limit (`maxsize`; with requests `pool_maxsize`)",
    giving_back="`with session.get(...) as response:`",
)
_MAKES_FOR_A_HOST = "PoolManager._new_pool"
_GIVES_UP = "HTTPConnectionPool.urlopen"
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


def _closed(pools: PoolRegistry, connection: Any) -> None:
    """If ``urlopen`` itself closes it, the request failed, and the pool has its place back.

    Others only close the socket: the response of a server that closes it is still to be read.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_code.co_name == "close" or is_own(frame.f_code.co_filename)):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_qualname == _GIVES_UP:
        pools.returned(connection)
    pools.closed(connection)


def _given_back(pools: PoolRegistry, _: Any, connection: Any) -> None:
    pools.returned(connection)


LIBRARY = Library(
    hooks={
        "urllib3.connection": (
            ("HTTPConnection.connect", observing, Connecting),
            ("HTTPConnection.close", on_entry, _closed),
            ("HTTPSConnection.connect", observing, Connecting),
            ("HTTPSConnection.close", on_entry, _closed),
        ),
        "urllib3.connectionpool": (
            ("HTTPConnectionPool.__init__", at_end, _made),
            ("HTTPConnectionPool._new_conn", on_return, PoolRegistry.adopt),
            ("HTTPSConnectionPool._new_conn", on_return, PoolRegistry.adopt),
            ("HTTPConnectionPool._get_conn", observing, _Asking),
            ("HTTPConnectionPool.close", on_entry, PoolRegistry.shut),
            ("HTTPConnectionPool._put_conn", on_entry_with_all, _given_back),
        ),
        # of several hosts: it drops its pools, whose connections are left to be collected
        "urllib3.poolmanager": (("PoolManager.clear", on_entry, PoolRegistry.shut),),
    },
    title="urllib3, which requests uses",
    pools=_KIND,
    parts=("urllib3",),
)
