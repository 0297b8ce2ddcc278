"""Stands between the lab and one server: however the lab ends, nothing of the server survives it.

Its arguments are the server's command, which also gets its environment and folder. The end of stdin, which
comes however the lab ends, is the order to kill. On stdout the guard writes JSON lines: {"pid"} or
{"failed"}, then {"ended"}; its stderr carries the server's stdout and stderr. It only waits, and uses no CPU.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType
from typing import Any, Final

from asyncdemo.capture import wire
from asyncdemo.recording.processes import ProcessTree

_SET_CHILD_SUBREAPER: Final = 36
"""From prctl(2): orphans become our children, so everything that the server started can be found."""
_MOST_FILES: Final = 1 << 16
_AGAIN_S: Final = 0.05


def main(argv: Sequence[str]) -> None:
    _outlive_signals()
    _allow_connections()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        server = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno(), start_new_session=True
        )
    except OSError as error:
        _say(failed=f"{error.filename or argv[0]}: {error.strerror}")
        return
    _say(pid=server.pid)
    threading.Thread(target=_bury, args=[server], daemon=True).start()
    sys.stdin.buffer.read()
    ProcessTree(server, os.environ[wire.ENV]).end()
    os._exit(0)  # don't wait for the other thread


def _bury(server: subprocess.Popen[bytes]) -> None:
    """Reap every process that ends: the server, and adopted orphans."""
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:  # no child left, or none yet
            time.sleep(_AGAIN_S)
            continue
        if pid == server.pid:
            server.returncode = os.waitstatus_to_exitcode(status)
            _say(ended=server.returncode)


def _say(**message: Any) -> None:
    with contextlib.suppress(OSError):  # nobody is listening; stdin will end, too
        os.write(1, json.dumps(message).encode() + b"\n")


def _outlive_signals() -> None:
    """Install handlers, because the server would inherit SIG_IGN."""

    def stay(number: int, frame: FrameType | None) -> None:
        pass

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stay)


def _allow_connections() -> None:
    """Raise the file limit, within reason: one of the experiments has 10,000 connections open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
