"""Observes the calls that make a thread wait for time or the outside world: ``time.sleep``, blocking
sockets, name look-ups, TLS, subprocesses, ``input``. Inside a loop's step each is a *blocking call*.

Built-in functions have no code object to rewrite, so these few are replaced by Python functions;
``launch`` takes their frames out of tracebacks again.
"""

from __future__ import annotations

import builtins
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from asyncdemo.capture.instrument import Patches, around
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.waits import Waits

_SOCKET_METHODS = {
    "connect": "net.connect",
    "recv": "net.read",
    "recv_into": "net.read",
    "recvfrom": "net.read",
    "recvfrom_into": "net.read",
    "recvmsg": "net.read",
    "send": "net.write",
    "sendall": "net.write",
    "sendto": "net.write",
    "sendmsg": "net.write",
}


def install(recorder: Recorder, waits: Waits, patches: Patches, sleep: Callable[[float], None]) -> None:
    """sleep: what really sleeps, or moves a virtual clock."""
    patches.set(time, "sleep", _waiting_function(waits, "sleep", time, sleep, time.sleep))
    patches.set(builtins, "input", _waiting_function(waits, "stdin", builtins, input, input))
    for name, reason in _SOCKET_METHODS.items():
        original = getattr(socket.socket, name, None)
        if original is not None:
            patches.set(socket.socket, name, _socket_method(waits, reason, original))
    patches.rewrite(socket, "socket.accept", lambda sock: _for_socket(waits, sock, "net.accept"), around)
    patches.rewrite(socket, "getaddrinfo", lambda _: waits.waiting("dns"), around)
    for name, reason in (("read", "net.read"), ("write", "net.write"), ("do_handshake", "net.connect")):
        patches.rewrite(
            ssl, f"SSLSocket.{name}", lambda sock, why=reason: _for_socket(waits, sock, why), around
        )
    for name in ("wait", "communicate"):
        patches.rewrite(subprocess, f"Popen.{name}", lambda _: waits.waiting("subprocess"), around)
    if hasattr(os, "fork") and sys.version_info >= (3, 12):
        patches.set(os, "fork", _fork_without_our_thread(os.fork))
    patches.set(os, "_exit", _flushing_exit(recorder, os._exit))


class _StandIn:
    """Called in place of a built-in function of a module, and answers as that one to everything else.

    Not a function, because a class that has it as an attribute would bind it.
    """

    def __init__(self, module: Any, original: Any, call: Callable[..., Any]) -> None:
        self.__module__ = module.__name__
        self.__wrapped__ = original
        self._call = call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce__(self) -> str:
        return str(self.__wrapped__.__qualname__)  # found by this name in its module

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.__wrapped__)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.__wrapped__.__doc__  # type: ignore[no-any-return]


def _waiting_function(
    waits: Waits, reason: str, module: Any, function: Callable[..., Any], original: Callable[..., Any]
) -> Any:
    def waiting(*args: Any, **kwargs: Any) -> Any:
        with waits.waiting(reason):
            return function(*args, **kwargs)

    return _StandIn(module, original, waiting)


def _socket_method(waits: Waits, reason: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any) -> Any:
        if self.gettimeout() == 0:
            return original(self, *args)
        with waits.waiting(reason):
            return original(self, *args)

    return method


class _NoWait:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info: object) -> None:
        pass


_NO_WAIT = _NoWait()


def _for_socket(waits: Waits, sock: Any, reason: str) -> Any:
    return _NO_WAIT if sock.gettimeout() == 0 else waits.waiting(reason)


def _flushing_exit(recorder: Recorder, real_exit: Callable[[int], None]) -> Any:
    def _exit(status: int) -> None:
        if recorder.active:
            try:
                recorder.flush()
            except OSError:
                recorder.stop()
        real_exit(status)

    return _StandIn(os, real_exit, _exit)


def _fork_without_our_thread(real_fork: Callable[[], int]) -> Callable[[], int]:
    """3.12+ warns of a fork with several threads; the lens' own thread is no reason to."""

    def fork() -> int:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            threads = _count_threads()
            pid = real_fork()
        for warning in caught if pid else ():
            ours = "multi-threaded" in str(warning.message) and threads <= _SCRIPT_AND_LENS
            if not ours:  # fork <- the stand-in <- who called it
                warnings.warn(str(warning.message), warning.category, stacklevel=3)
        return pid

    return _StandIn(os, real_fork, fork)


_SCRIPT_AND_LENS = 2


def _count_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count() + 1
