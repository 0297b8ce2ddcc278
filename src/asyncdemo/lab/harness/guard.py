"""Stands between the lab and one server: when the lab is gone, however it ended, nothing of the server stays.

``python -m asyncdemo.lab.harness.guard``: the first line of stdin says what to start, in JSON; its end,
which comes however the other side ends, is the order to kill. On stdout it says, a line of JSON each,
{"pid"} or {"failed"}, and {"ended"}; stderr is the server's stdout and stderr. It waits all the time and
uses no CPU. Not for: asking a server to end, or whether it is ready (``launching``).
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
from types import FrameType
from typing import Any, Final

from asyncdemo.capture import wire
from asyncdemo.recording.processes import ProcessTree

_SET_CHILD_SUBREAPER: Final = 36
"""prctl(2): who has lost their parent become our children, so all that the server started can be found."""
_MOST_FILES: Final = 1 << 16
_AGAIN_S: Final = 0.05


def main() -> int:
    order = json.loads(sys.stdin.buffer.readline() or b"{}")
    if not order:
        return 0
    _outlive_signals()
    _allow_connections()
    _adopt_orphans()
    environment = order["environment"] | {wire.ENV: order["token"]}
    try:
        server = subprocess.Popen(
            order["argv"],
            cwd=order["folder"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            start_new_session=True,
        )
    except OSError as error:
        _say(failed=f"{error.filename or order['argv'][0]}: {error.strerror}")
        return 1
    _say(pid=server.pid)
    threading.Thread(target=_bury, args=[server], daemon=True).start()
    while sys.stdin.buffer.readline():
        pass
    ProcessTree(server, order["token"]).end()
    return 0


def _bury(server: subprocess.Popen[bytes]) -> None:
    """Wait for everybody who ends: the server, and those who have lost their parent."""
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:  # there is nobody left, or nobody yet
            time.sleep(_AGAIN_S)
            continue
        if pid == server.pid:
            server.returncode = os.waitstatus_to_exitcode(status)
            _say(ended=server.returncode)


def _say(**message: Any) -> None:
    with contextlib.suppress(OSError):  # nobody listens: the end of stdin will say so, too
        os.write(1, json.dumps(message).encode() + b"\n")


def _outlive_signals() -> None:
    """A handler, since what is ignored would be ignored by the server, too."""

    def stay(number: int, frame: FrameType | None) -> None:
        pass

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stay)


def _allow_connections() -> None:
    """As many as the system lets us, within reason: 10,000 at once are one of the experiments."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    code = main()
    os._exit(code)  # the other thread waits
