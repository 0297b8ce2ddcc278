"""Observes which request a server handles: its trace id, the track that handles it, and when it was accepted.

Frameworks differ in where they begin with a request, so the few functions that do are listed here. A request
is identified by the ``traceparent`` header (W3C Trace Context) that the client sent with it.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from types import ModuleType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.instrument import (
    Patches,
    Transform,
    around_call,
    around_with_all,
    on_entry_with_all,
    on_return,
)
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import Recorder

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def _of_handler(handler: Any, *_: Any) -> Any:
    return handler.headers.get("traceparent")


def _of_environ(_: Any, environ: Mapping[str, Any], *rest: Any) -> Any:
    return environ.get("HTTP_TRACEPARENT")


def _of_request(_: Any, request: Any, *rest: Any) -> Any:
    return request.headers.get("traceparent")


def _of_scope(_: Any, scope: Mapping[str, Any], *rest: Any) -> Any:
    for name, value in scope.get("headers", ()):
        if name == b"traceparent":
            return value.decode("latin-1")
    return None


def _of_own_request(connection: Any, *_: Any) -> Any:
    return connection.request.headers.get("traceparent")


_HANDLERS: dict[str, tuple[str, Transform, Callable[..., Any]]] = {
    "werkzeug.serving": ("WSGIRequestHandler.run_wsgi", around_with_all, _of_handler),
    "flask.app": ("Flask.__call__", around_with_all, _of_environ),
    # not Sanic.handle_request, which Sanic itself recompiles when it starts
    "sanic.http.http1": ("Http.http1", around_call("request_handler"), _of_own_request),
    "sanic.asgi": ("ASGIApp.__call__", around_with_all, _of_own_request),
    "quart.asgi": ("ASGIHTTPConnection.handle_request", around_with_all, _of_request),
    "starlette.applications": ("Starlette.__call__", around_with_all, _of_scope),
}
"""Module -> (function, where the hook goes in it, what returns the header)."""
_PROTOCOL = "sanic.server.protocols.http_protocol"
"""Learns of a connection that its loop has accepted, which uvloop does out of sight."""


class Requests:
    def __init__(self, recorder: Recorder, loops: Loops) -> None:
        self._recorder = recorder
        self._loops = loops

    def install(self, patches: Patches) -> None:
        patches.rewrite(socket, "socket.accept", self._accepted, on_return)

    def in_modules(self, patches: Patches) -> dict[str, Callable[[ModuleType], None]]:
        """Return module -> what is to be called once it is loaded."""

        def loaded(module: ModuleType) -> None:
            if module.__name__ == _PROTOCOL:
                patches.rewrite(module, "HttpProtocol.connection_made", self._connected, on_entry_with_all)
            else:
                qualname, transform, header = _HANDLERS[module.__name__]
                patches.rewrite(module, qualname, lambda *given: self._handling(header, given), transform)
            patches.forget_sources()

        return dict.fromkeys((*_HANDLERS, _PROTOCOL), loaded)

    # -- hooks ----------------------------------------------------------------------------------

    def _accepted(self, _: Any, accepted: tuple[Any, Any]) -> tuple[Any, Any]:
        self._report_accepted(accepted[1])
        return accepted

    def _connected(self, _: Any, transport: Any) -> None:
        self._report_accepted(transport.get_extra_info("peername"))

    def _report_accepted(self, peer: Any) -> None:
        # else it is a Unix socket, or of another kind that has no ports
        if isinstance(peer, tuple) and len(peer) >= 2 and isinstance(peer[1], int):
            self._recorder.define(wire.Accepted(peer[1], self._recorder.now()))

    def _handling(self, header: Callable[..., Any], given: tuple[Any, ...]) -> _Handling | nullcontext[None]:
        value = header(*given)
        match = _TRACEPARENT.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            return _NOT_TRACED
        return _Handling(self._recorder, match[1], self._loops.current_track())


class _Handling:
    __slots__ = ("_number", "_recorder", "_trace_id", "_track")

    def __init__(self, recorder: Recorder, trace_id: str, track: int) -> None:
        self._recorder, self._trace_id, self._track = recorder, trace_id, track

    def __enter__(self) -> None:
        recorder = self._recorder
        self._number = recorder.next_serial()
        recorder.define(wire.Handling(self._number, self._trace_id, self._track, recorder.now()))

    def __exit__(self, *exc_info: object) -> None:
        self._recorder.define(wire.Handled(self._number, self._recorder.now()))


_NOT_TRACED = nullcontext()
