"""Runs a loaded script in forks of this process, as often as the parent asks.

So what takes longest, the start of Python and of the tracer, is done once for many runs.
Not here: forks that the script makes (see ``capture.parent``).
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import socket
from select import select as _select  # before the tracer observes it
from typing import Any

from asyncdemo.capture import parent, wire

_fork, _waitpid, _exit = os.fork, os.waitpid, os._exit
_RANDOM_SEED = 0
"""Makes random numbers the same in each run of a script, so that only the schedule differs."""


def wait_for_forks(
    connection: socket.socket, reader: wire.FrameReader
) -> tuple[socket.socket, dict[str, Any]]:
    """Fork whenever the parent asks for it, and report how each fork ended.

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
            _tell_who_ended(connection)
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
                return _begin(**json.loads(payload))
            connection.sendall(wire.json_frame(wire.FORK, {"pid": pid}))


def _tell_who_ended(connection: socket.socket) -> None:
    while True:
        try:
            pid, status = _waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        told = {"ended": pid, "status": os.waitstatus_to_exitcode(status)}
        connection.sendall(wire.json_frame(wire.FORK, told))


def _begin(address: str, outputs: list[str]) -> tuple[socket.socket, dict[str, Any]]:
    """Do what the start of a process would have done. ``outputs`` are the terminals for stdout and stderr."""
    os.setsid()
    for descriptor, name in enumerate(outputs, 1):
        opened = os.open(name, os.O_WRONLY | os.O_NOCTTY)
        os.dup2(opened, descriptor)
        os.close(opened)
    random.seed(_RANDOM_SEED)
    os.environ[wire.ENV] = address
    connection = parent.connect()
    told = parent.receive(connection, wire.FrameReader(), wire.OPTIONS)
    if told is None:
        _exit(1)
    return connection, json.loads(told)
