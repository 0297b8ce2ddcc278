"""Children that are forks of one process that has already loaded the script: many runs, one start."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from asyncdemo.capture import wire
from asyncdemo.errors import UsageError
from asyncdemo.recording.child import Child, ChildConnection
from asyncdemo.recording.options import Options, Stdout, Target, child_options
from asyncdemo.recording.polling import readable
from asyncdemo.recording.processes import ProcessTree

_LOADS_S = 60.0
_FORKS_S = 10.0
"""How long loading the script, and a fork, may take."""


class ForkServer:
    """A context manager for the process that has loaded a script with these options and forks itself.

    If the script cannot be loaded, ``child`` returns ordinary children, which report why.
    """

    def __init__(self, target: Target, options: Options) -> None:
        self._options = {**child_options(target, replace(options, forks=True)), "environment": {}}
        self._flags = options.flags
        self._loaded = False
        self._forked: list[int] = []
        self._ended: dict[int, int] = {}

    def __enter__(self) -> Self:
        self._template = Child(Stdout.CAPTURE, stdin=False, flags=self._flags)
        if self._template.connect(_LOADS_S):
            self._send(wire.OPTIONS, self._options)
            self._receive_until(_LOADS_S, lambda: self._loaded)
        return self

    def __exit__(self, *_: object) -> None:
        self._template.close()

    def child(self) -> Child:
        """Return a fork that has not started the script yet, or an ordinary child."""
        return _Fork(self) if self._loaded else Child(Stdout.CAPTURE, stdin=False, flags=self._flags)

    @property
    def token(self) -> str:
        return self._template.token

    def fork(self, address: str, outputs: list[str]) -> int:
        """Return the pid of the new process. Raise UsageError if there is none."""
        self._send(wire.FORK, {"address": address, "outputs": outputs})
        if not self._receive_until(_FORKS_S, lambda: bool(self._forked)):
            raise UsageError("The process that runs the script ended early. Run the command again.")
        return self._forked.pop()

    def exit_code(self, pid: int, timeout_s: float) -> int | None:
        self._receive_until(timeout_s, lambda: pid in self._ended)
        return self._ended.get(pid)

    def _send(self, kind: bytes, value: object) -> None:
        assert self._template.connection is not None
        with contextlib.suppress(OSError):  # it has ended, as will be noticed
            self._template.connection.socket.sendall(wire.json_frame(kind, value))

    def _receive_until(self, timeout_s: float, is_enough: Callable[[], bool]) -> bool:
        """Process its messages until the condition holds; return whether it does, in time."""
        connection = self._template.connection
        assert connection is not None
        limit = time.monotonic() + timeout_s
        while not is_enough():
            data = b""
            if readable([connection.socket], max(limit - time.monotonic(), 0)):
                with contextlib.suppress(OSError):
                    data = connection.socket.recv(1 << 16)
            if not data:
                return False
            for kind, payload in connection.frames.feed(data):
                if kind == wire.FORK:
                    self._handle(json.loads(payload))
        return True

    def _handle(self, message: dict[str, Any]) -> None:
        if "pid" in message:
            self._forked.append(message["pid"])
        elif "ended" in message:
            self._ended[message["ended"]] = message["status"]
        else:
            self._loaded = True


class _ForkedProcess:
    """Like ``subprocess.Popen``, for a child of the fork server, which reports its end."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self._server = server
        self.pid = pid

    def poll(self) -> int | None:
        return self._server.exit_code(self.pid, 0)

    def wait(self) -> int:
        code = self._server.exit_code(self.pid, _FORKS_S)
        return -signal.SIGKILL if code is None else code

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
        self.process_tree = ProcessTree(self.process, "")

    def connect(self, timeout_s: float) -> ChildConnection | None:
        connection = super().connect(timeout_s)
        if connection is not None:
            self._close_writable()  # the fork has opened them itself by now
        return connection

    def close(self) -> None:
        super().close()
        self._close_writable()

    def _spawn(self, address: str) -> Any:
        self._writable = self._open_terminals()
        return _ForkedProcess(self._server, self._server.fork(address, [*map(os.ttyname, self._writable)]))

    def _close_writable(self) -> None:
        while self._writable:
            os.close(self._writable.pop())
