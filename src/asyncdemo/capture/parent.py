"""Opens and closes the connection to the process that watches this one, and forks whenever that one asks."""

from __future__ import annotations

import atexit
import errno
import fcntl
import gc
import json
import os
import random
import resource
import signal
import socket
import sys
import time
from select import select as _select  # before the tracer observes it
from types import FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.fork_warning import ForkWarning
from asyncdemo.capture.guard import hooked_frame
from asyncdemo.capture.tracer import Tracer

_CONNECTION_FD = 200
"""High, so that a script that closes descriptors by number and opens others does not get ours."""

_EXECUTORS = os.path.join("concurrent", "futures", "process.py")
_SUBPROCESSES = os.path.join("asyncio", "subprocess.py")
_SPAWN = "_spawnvef"

_sleep = time.sleep  # the script may replace them
_kill, _fork, _waitpid, _exit = os.kill, os.fork, os.waitpid, os._exit


def connect() -> socket.socket:
    """Connect to the parent that the environment names, and identify this process.

    Raises OSError if the parent is not there, ValueError or KeyError if the environment names none.
    """
    place, _, token = os.environ[wire.ENV].rpartition("#")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(place)
    connection = _moved_up(connection)
    connection.sendall(wire.messages_frame([wire.Hello(token, os.getpid(), wire.VERSION)]))
    return connection


def _moved_up(connection: socket.socket) -> socket.socket:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    descriptor = fcntl.fcntl(connection.fileno(), fcntl.F_DUPFD_CLOEXEC, min(_CONNECTION_FD, most - 1))
    connection.close()
    return socket.socket(fileno=descriptor)


def receive(connection: socket.socket, reader: wire.FrameReader, wanted: bytes) -> bytes | None:
    """Return the payload of the next frame of this kind, or None if the parent is gone.

    Raises TimeoutError if the connection has a time limit and it expires.
    """
    while True:
        try:
            data = super(socket.socket, connection).recv(65536)  # the tracer may already be installed
        except ConnectionError:
            data = b""
        if not data:
            return None
        for kind, payload in reader.feed(data):
            if kind == wanted:
                return payload


def begin(tracer: Tracer, connection: socket.socket) -> None:
    """Send what is recorded, from now until the interpreter exits."""
    warning = ForkWarning(tracer.watchdog)
    forks = tracer.guard.call("os.fork", warning.prevent)
    forget = tracer.guard.call("os.fork", _forget)
    forked = tracer.guard.call("os.fork", _forked)
    if sys.version_info >= (3, 12):
        os.register_at_fork(before=forks)
    os.register_at_fork(
        after_in_parent=lambda: forked(tracer, warning),
        after_in_child=lambda: forget(tracer, warning, connection),
    )
    atexit.register(_finish, tracer)
    tracer.start(connection)


def _finish(tracer: Tracer) -> None:
    recorder = tracer.recorder
    if not recorder.active:
        return
    recorder.define(wire.Finish(recorder.now()))
    try:
        recorder.flush()
        tracer.watchdog.end()
    except BaseException:  # noqa: BLE001 - the parent is gone, or a signal handler raised: this is the end
        recorder.stop()


def _forked(tracer: Tracer, warning: ForkWarning) -> None:
    """Report a fork that is not observed.

    An executor reports what its workers do, and ``os.spawnv`` and uvloop run another program, so these do not
    count.
    """
    warning.restore_after(hooked_frame())
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if code.co_filename.endswith((_EXECUTORS, _SUBPROCESSES)) or code.co_name == _SPAWN:
            return
        frame = frame.f_back
    tracer.recorder.define(wire.Forked())


def _forget(tracer: Tracer, warning: ForkWarning, connection: socket.socket) -> None:
    """Stop observing in a fork, which is not the traced process."""
    warning.restore()
    tracer.stop()
    connection.close()


def end_with_it(error: OSError) -> None:
    """End this process and what it started if the parent is gone, as nothing else would end them.

    Otherwise the script closed our connection, and continues unobserved.
    """
    if error.errno in (errno.EPIPE, errno.ECONNRESET):
        _kill(0, signal.SIGTERM)
        _sleep(1)
        _kill(0, signal.SIGKILL)


# -- forks that the parent asks for -----------------------------------------------------------------

_RANDOM_SEED = 0
"""Makes random numbers the same in each run of a script, so that only the schedule differs."""


def wait_for_forks(
    connection: socket.socket, reader: wire.FrameReader
) -> tuple[socket.socket, dict[str, Any]]:
    """Fork a process with a loaded script whenever the parent asks, and report how each fork ended.

    So what takes longest, the start of Python and of the tracer, is done once for many runs.

    Returns only in the forks, each with its own connection and options.
    """
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    gc.collect()
    gc.freeze()
    connection.sendall(wire.json_frame(wire.FORK, {}))
    while True:
        watched: list[Any] = [connection, woken]
        ready = _select(watched, [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            _report_ended(connection)
        if connection not in ready:
            continue
        data = super(socket.socket, connection).recv(65536)
        if not data:
            _exit(0)
        for kind, payload in reader.feed(data):
            if kind != wire.FORK:
                continue
            pid = _fork()
            if not pid:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for descriptor in (woken, waker):
                    os.close(descriptor)
                connection.close()
                return _enter_fork(**json.loads(payload))
            connection.sendall(wire.json_frame(wire.FORK, {"pid": pid}))


def _report_ended(connection: socket.socket) -> None:
    while True:
        try:
            pid, status = _waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        message = {"ended": pid, "status": os.waitstatus_to_exitcode(status)}
        connection.sendall(wire.json_frame(wire.FORK, message))


def _enter_fork(address: str, outputs: list[str]) -> tuple[socket.socket, dict[str, Any]]:
    """Do what the start of a process would have done. ``outputs`` are the terminals for stdout and stderr."""
    os.setsid()
    for descriptor, name in enumerate(outputs, 1):
        opened = os.open(name, os.O_WRONLY | os.O_NOCTTY)
        os.dup2(opened, descriptor)
        os.close(opened)
    random.seed(_RANDOM_SEED)
    os.environ[wire.ENV] = address
    connection = connect()
    message = receive(connection, wire.FrameReader(), wire.OPTIONS)
    if message is None:
        _exit(1)
    return connection, json.loads(message)
