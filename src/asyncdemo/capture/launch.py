"""Runs a script as ``python script.py`` would, with the lens on.

What the script can see of itself (``__main__``, ``sys.argv``, ``sys.path``, exit code, tracebacks)
is as without the lens.
"""

from __future__ import annotations

import atexit
import errno
import json
import os
import signal
import socket
import sys
import threading
import time
import types
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.frames import hide_own_frames
from asyncdemo.capture.lens import Lens
from asyncdemo.capture.recorder import Origins, running_version
from asyncdemo.capture.source import SourceError
from asyncdemo.capture.target import Function, Script

_CONNECTION_FD = 200
"""High, so that a script that closes files by number and opens others does not get ours."""


def main() -> None:
    connection, token = _connect(os.environ[wire.ENV])
    connection.sendall(wire.json_frame(wire.DEFINITIONS, [["hello", token, os.getpid()]]))
    reader = wire.FrameReader()
    options = json.loads(_receive(connection, reader, wire.OPTIONS))
    for name in options["unset"]:
        os.environ.pop(name, None)
    os.environ.update(options["environment"])
    target: Script | Function = Function(options) if options["call"] else Script(options)
    try:
        target.load()
    except SourceError as error:
        _refuse(connection, str(error))
    except (OSError, ImportError) as error:
        _refuse(connection, f"{target.name} cannot be read: {error}.")
    except (SyntaxError, ValueError, UnicodeDecodeError) as error:
        connection.sendall(
            wire.json_frame(wire.DEFINITIONS, [["invalid", f"{type(error).__name__}: {error}"]])
        )
        error.__traceback__ = None
        sys.excepthook(type(error), error, None)
        sys.exit(1)
    _run(connection, reader, target, options)


def _refuse(connection: socket.socket, message: str) -> None:
    connection.sendall(wire.json_frame(wire.DEFINITIONS, [["refused", message]]))
    sys.exit(2)


def _connect(address: str) -> tuple[socket.socket, str]:
    kind, _, rest = address.partition(":")
    place, _, token = rest.rpartition("#")
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(place)
    else:
        connection = socket.create_connection(("127.0.0.1", int(place)))
    return _moved_up(connection), token


def _moved_up(connection: socket.socket) -> socket.socket:
    try:
        import fcntl
        import resource
    except ImportError:
        return connection
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    descriptor = fcntl.fcntl(connection.fileno(), fcntl.F_DUPFD_CLOEXEC, min(_CONNECTION_FD, most - 1))
    connection.close()
    return socket.socket(fileno=descriptor)


def _receive(connection: socket.socket, reader: wire.FrameReader, wanted: bytes) -> bytes:
    while True:
        try:
            data = super(socket.socket, connection).recv(65536)  # the lens may be on already
        except ConnectionError:
            data = b""
        if not data:
            sys.exit(1)  # the parent is gone before anything ran
        for kind, payload in reader.feed(data):
            if kind == wanted:
                return payload


def _run(
    connection: socket.socket, reader: wire.FrameReader, target: Script | Function, options: dict[str, Any]
) -> None:
    lens = Lens(
        Origins(target.roots), options["virtual"], int(options["threshold_s"] * 1e9), _end_with_parent
    )
    recorder = lens.recorder
    lens.install(options["serves"])
    recorder.define(["ready", running_version(), target.knobs, "virtual" if options["virtual"] else "real"])
    recorder.connect(connection)
    recorder.flush()
    _receive(connection, reader, wire.GO)
    recorder.define(["start", recorder.now()])
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _forget(lens, connection))
    atexit.register(_finish, lens)
    lens.start(connection)
    main = threading.get_ident()
    try:
        target.run(lens)
    except BaseException as error:
        raised = not isinstance(error, SystemExit)
        recorder.close_thread(
            main, "raised" if raised else "returned", type(error).__name__ if raised else None
        )
        if raised:
            _hide_when_printed()
        elif sys.version_info < (3, 12):
            _forget_top(error)
        raise
    recorder.close_thread(main, "returned")


def _forget_top(error: BaseException) -> None:
    """Nobody catches an exit at the top, so what a task still has to say of it does not lead up there."""
    hide_own_frames(error)
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next


def _hide_when_printed() -> None:
    printing = sys.excepthook

    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None
    ) -> None:
        hide_own_frames(error)
        printing(kind, error, error.__traceback__)

    sys.excepthook = excepthook


def _finish(lens: Lens) -> None:
    recorder = lens.recorder
    if not recorder.active:
        return
    recorder.define(["finish", recorder.now()])
    try:
        recorder.flush()
    except OSError:
        recorder.stop()  # nobody listens any more; the script's own end is what matters now


def _forget(lens: Lens, connection: socket.socket) -> None:
    """A fork is not the traced process: it runs on unobserved."""
    lens.stop()
    connection.close()


_sleep = time.sleep
_kill = os.kill


def _end_with_parent(error: OSError) -> None:
    """If the parent is gone nobody is left who would end this run, so it ends itself and what it started.

    Otherwise the script closed our connection, and goes on unobserved.
    """
    if error.errno in (errno.EPIPE, errno.ECONNRESET) and hasattr(signal, "SIGKILL"):
        _kill(0, signal.SIGTERM)
        _sleep(1)
        _kill(0, signal.SIGKILL)
