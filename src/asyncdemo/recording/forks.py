"""Children that are forks of one process that has already loaded the script: many runs, one start.

Not here: what the process does (see ``capture.parent``), which runs to make (``serving.schedules``).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import time
from dataclasses import replace
from typing import Any, Self

from asyncdemo.capture import wire
from asyncdemo.errors import UsageError
from asyncdemo.recording.child import Child
from asyncdemo.recording.options import Options, Stdout, Target, child_options
from asyncdemo.recording.polling import readable
from asyncdemo.recording.processes import ProcessTree
from asyncdemo.recording.terminals import open_terminal

_LOADS_S = 60.0
_FORKS_S = 10.0
"""How long loading the script, and a fork, may take."""


class ForkServer:
    """A context manager for the process that has loaded a script with these options and forks itself.

    If the script cannot be loaded, ``child`` returns ordinary children, which report why.
    """

    def __init__(self, target: Target, options: Options) -> None:
        self._told = child_options(target, replace(options, forks=True))
        self._flags = options.flags
        self._ended: dict[int, int] = {}
        self._forked: list[int] = []
        self._template: Child | None = None

    def __enter__(self) -> Self:
        template = self._template = Child(Stdout.CAPTURE, stdin=False, flags=self._flags)
        if template.connect(_LOADS_S) and template.connection is not None:
            told = {**self._told, "environment": {}}
            with contextlib.suppress(OSError):
                template.connection.sendall(wire.json_frame(wire.OPTIONS, told))
            self._serves = self._hear(_LOADS_S)
        else:
            self._serves = False
        return self

    def __exit__(self, *_: object) -> None:
        if self._template is not None:
            self._template.close()

    def child(self) -> Child:
        """Return a fork that has not started the script yet, or an ordinary child."""
        return _Fork(self) if self._serves else Child(Stdout.CAPTURE, stdin=False, flags=self._flags)

    @property
    def token(self) -> str:
        """The token that also identifies all of its forks."""
        assert self._template is not None
        return self._template.token

    def fork(self, address: str, outputs: list[str]) -> int:
        """Return the pid of the new process. Raise UsageError if there is none."""
        template = self._template
        assert template is not None and template.connection is not None
        with contextlib.suppress(OSError):
            request = {"address": address, "outputs": outputs}
            template.connection.sendall(wire.json_frame(wire.FORK, request))
            limit = time.monotonic() + _FORKS_S
            while not self._forked and time.monotonic() < limit and self._hear(0.1, once=True):
                pass
        if not self._forked:
            raise UsageError("The process that is to run the script once more has ended.")
        return self._forked.pop()

    def exit_code(self, pid: int, timeout_s: float) -> int | None:
        if pid not in self._ended:
            self._hear(timeout_s, once=True)
        return self._ended.get(pid)

    def _hear(self, timeout_s: float, *, once: bool = False) -> bool:
        """Process its messages, up to the first about forks or, if ``once``, what arrives within this time.

        Return False if it has ended or said nothing about forks in time.
        """
        template = self._template
        assert template is not None and template.connection is not None
        limit = time.monotonic() + timeout_s
        while True:
            if readable([template.connection], max(limit - time.monotonic(), 0)):
                data = self._receive(template.connection)
                if not data:
                    return False
                for kind, payload in template.frames.feed(data):
                    if kind == wire.FORK:
                        self._take(json.loads(payload))
                        once = True
            if once or time.monotonic() > limit:
                return once

    def _receive(self, connection: socket.socket) -> bytes:
        with contextlib.suppress(OSError):
            return connection.recv(1 << 16)
        return b""

    def _take(self, word: dict[str, Any]) -> None:
        if "pid" in word:
            self._forked.append(word["pid"])
        elif "ended" in word:
            self._ended[word["ended"]] = word["status"]


class _ForkedProcess:
    """Like ``subprocess.Popen``, but for a child of the fork server, which reports its end."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self._server = server
        self.pid = pid

    def poll(self, timeout_s: float = 0.0) -> int | None:
        return self._server.exit_code(self.pid, timeout_s)

    def wait(self) -> int:
        limit = time.monotonic() + _FORKS_S
        while time.monotonic() < limit:
            code = self.poll(0.1)
            if code is not None:
                return code
        return -signal.SIGKILL

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Fork(Child):
    def __init__(self, server: ForkServer) -> None:
        self._server = server
        self._writable: list[int] = []
        super().__init__(Stdout.CAPTURE, stdin=False, token=server.token)
        # Those that only the token identifies are ended with the server: finding them checks every process.
        self.family = ProcessTree(self.process, "")

    def connect(self, timeout_s: float) -> bool:
        connected = super().connect(timeout_s)
        if connected:
            self._close_writable()  # the fork has opened them itself by now
        return connected

    def close(self) -> None:
        super().close()
        self._close_writable()

    def _spawn(self, address: str) -> Any:
        names = []
        for stream in ("stdout", "stderr"):
            read_end, writable = open_terminal()
            self._outputs[read_end] = stream
            self._writable.append(writable)
            names.append(os.ttyname(writable))
        return _ForkedProcess(self._server, self._server.fork(address, names))

    def _close_writable(self) -> None:
        while self._writable:
            os.close(self._writable.pop())
