"""Observes the calls that make a thread wait for time or the outside world.

These are ``time.sleep``, blocking sockets, name look-ups, TLS, subprocesses and ``input``. Inside a loop's
step each is a *blocking call*. Built-in functions have no code object to rewrite, so these few are replaced
by Python functions; ``launch`` removes their frames from tracebacks.
"""

from __future__ import annotations

import _socket
import builtins
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.instrument import Patches, around
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.stand_in import StandIn

_SOCKET_METHODS = {
    "connect": "net.connect",
    "connect_ex": "net.connect",
    "recv": "net.read",
    "recv_into": "net.read",
    "recvfrom": "net.read",
    "recvfrom_into": "net.read",
    "recvmsg": "net.read",
    "recvmsg_into": "net.read",
    "send": "net.write",
    "sendall": "net.write",
    "sendto": "net.write",
    "sendmsg": "net.write",
}


def install(recorder: Recorder, waits: Waits, patches: Patches, sleep: Callable[[float], None]) -> None:
    """``sleep`` really sleeps, or advances a virtual clock."""

    def begin(where: str, reason: str) -> Callable[[], Any]:
        return patches.guard.context(where, lambda: waits.waiting(reason))

    patches.set(time, "sleep", _waiting_function(begin("time.sleep", "sleep"), sleep, time.sleep))
    patches.set(builtins, "input", _waiting_function(begin("input", "stdin"), input, input))
    for name, reason in _SOCKET_METHODS.items():
        original = getattr(socket.socket, name, None)
        if original is not None:
            method = _socket_method(begin(f"socket.socket.{name}", reason), original)
            patches.set(socket.socket, name, method)
    patches.rewrite(socket, "socket.accept", lambda sock: _for_socket(waits, sock, "net.accept"), around)
    patches.rewrite(socket, "getaddrinfo", lambda _: waits.waiting("dns"), around)
    for name, reason in (("read", "net.read"), ("write", "net.write"), ("do_handshake", "net.connect")):
        patches.rewrite(
            ssl, f"SSLSocket.{name}", lambda sock, why=reason: _for_socket(waits, sock, why), around
        )
    for name in ("wait", "communicate"):
        patches.rewrite(subprocess, f"Popen.{name}", lambda _: waits.waiting("subprocess"), around)
    flush = patches.guard.call("os._exit", lambda: _flush(recorder))
    set_in_os(patches, "_exit", _flushing_exit(flush, os._exit))


def set_in_os(patches: Patches, name: str, stand_in: StandIn) -> None:
    """Also set it in the module that it comes from, where pickle looks for it."""
    patches.set(sys.modules[stand_in.__module__], name, stand_in)
    patches.set(os, name, stand_in)


def _waiting_function(
    begin: Callable[[], Any], function: Callable[..., Any], original: Callable[..., Any]
) -> StandIn:
    def waiting(*arguments: Any, **options: Any) -> Any:
        with begin():
            return function(*arguments, **options)

    return StandIn(original, waiting)


def _socket_method(begin: Callable[[], Any], original: Any) -> Callable[..., Any]:
    def method(*arguments: Any, **options: Any) -> Any:
        if not arguments or not issubclass(type(arguments[0]), _Socket):
            return original(*arguments, **options)
        call = original
        waits = _timeout_of(arguments[0]) != 0
        if options:  # as a bound method, which errors name differently
            call, arguments = original.__get__(arguments[0]), arguments[1:]
        if not waits:
            return call(*arguments, **options)
        with begin():
            return call(*arguments, **options)

    return method


def _may_wait(sock: Any) -> bool:
    """Whether the socket may wait. Its own class may have another ``gettimeout``, so that is not called."""
    return issubclass(type(sock), _Socket) and _timeout_of(sock) != 0


_Socket: Any = _socket.socket
_timeout_of = _Socket.gettimeout


_NO_WAIT = nullcontext()


def _for_socket(waits: Waits, sock: Any, reason: str) -> Any:
    return waits.waiting(reason) if _may_wait(sock) else _NO_WAIT


def _flush(recorder: Recorder) -> None:
    if recorder.active:
        try:
            recorder.flush()
        except OSError:
            recorder.stop()


def _flushing_exit(flush: Callable[[], None], real_exit: Callable[..., None]) -> StandIn:
    def _exit(*arguments: Any, **options: Any) -> None:
        flush()
        real_exit(*arguments, **options)

    return StandIn(real_exit, _exit)
