"""The process that a script will run in, from its start until it is told which script that is.

Starting one takes as long as starting Python and loading the lens does, so ``Spares`` start some ahead.
None of them outlives us: each ends by itself once its connection is gone.
Not for: what it then runs, its events and its limits (``runner``).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Self

from asyncdemo.capture import wire
from asyncdemo.processes import Family
from asyncdemo.terminals import terminal_or_pipe

__all__ = ["Child", "Spares", "Stdout"]

_LAUNCH = Path(__file__).parent / "capture" / "boot" / "launch.py"
_HELLO_S = 60.0
"""How long a process that has connected may take to say who it is."""
_LONGEST_NAME = 100
"""Of a socket; the system's limit is about this."""


class Stdout(Enum):
    """Where the script's output goes."""

    INHERIT = "inherit"
    TO_STDERR = "to stderr"
    CAPTURE = "capture"
    """To the listener, as text."""


class Child:
    """A started process, and all that is ours of it.

    frames: of the connection, from the first byte. hello: its first frame.
    """

    def __init__(self, stdout: Stdout, stdin: bool = True) -> None:
        """stdin: the script may read ours; else there is nothing to read."""
        self.stdout, self.stdin = stdout, stdin
        self._outputs: dict[int, str] = {}
        self.frames = wire.FrameReader()
        self.hello: tuple[bytes, bytes] | None = None
        self.connection: socket.socket | None = None
        self._token = secrets.token_hex(16)
        self._folder: str | None = None
        self._listening, address = self._listen()
        try:
            self.process = self._spawn(f"{address}#{self._token}")
        except BaseException:
            self._stop_listening()
            raise
        self.family = Family(self.process, self._token)

    def connect(self, timeout_s: float) -> bool:
        """Wait so long for it to connect; whether it has."""
        if self.connection is not None:
            return True
        self._listening.settimeout(timeout_s)
        try:
            connection, _ = self._listening.accept()
        except (TimeoutError, BlockingIOError):
            return False
        connection.settimeout(_HELLO_S)
        self.frames = wire.FrameReader()
        try:
            self.hello = next(self.frames.feed(connection.recv(65536)), None)
        except (OSError, ValueError):
            self.hello = None
        if self.hello is None or not _says(self.hello[1], self._token):
            connection.close()
            return False
        self.connection = connection
        self._stop_listening()
        return True

    def take_outputs(self) -> dict[int, str]:
        """Descriptor -> "stdout" or "stderr", where these are captured; the caller closes them."""
        outputs, self._outputs = self._outputs, {}
        return outputs

    def close(self) -> None:
        """End it and all it started, and let go of everything. May be called twice."""
        self.family.end()
        self._stop_listening()
        if self.connection is not None:
            self.connection.close()
        for descriptor in self.take_outputs():
            os.close(descriptor)

    def _listen(self) -> tuple[socket.socket, str]:
        if hasattr(socket, "AF_UNIX"):
            self._folder = tempfile.mkdtemp(prefix="asyncdemo-")
            path = os.path.join(self._folder, "events")
            if len(path) < _LONGEST_NAME:
                listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                listening.bind(path)
                listening.listen(1)
                return listening, f"unix:{path}"
        listening = socket.create_server(("127.0.0.1", 0))
        return listening, f"tcp:{listening.getsockname()[1]}"

    def _stop_listening(self) -> None:
        self._listening.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _spawn(self, address: str) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        environment[wire.ENV] = address
        # glibc gives freed memory back so eagerly that asyncio's 256 KiB receive buffer gets slow
        environment.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 28))
        stdout, stderr, capturing = self._script_output()
        try:
            return subprocess.Popen(
                [sys.executable, os.fspath(_LAUNCH)],
                env=environment,
                stdin=None if self.stdin else subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=hasattr(os, "setsid"),
            )
        finally:
            for descriptor in capturing:
                os.close(descriptor)

    def _script_output(self) -> tuple[int | None, int | None, list[int]]:
        """(stdout, stderr for the child, descriptors to close here once it has them)."""
        if self.stdout is Stdout.TO_STDERR:
            return 2, None, []
        if self.stdout is Stdout.INHERIT:
            return None, None, []
        ends = []
        for stream in ("stdout", "stderr"):
            readable, writable = terminal_or_pipe()
            self._outputs[readable] = stream
            ends.append(writable)
        return ends[0], ends[1], ends


class Spares:
    """A context manager: children started ahead, for scripts with captured output and nothing on stdin."""

    def __init__(self) -> None:
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._children:
            self._children.pop().close()

    def fill(self, count: int) -> bool:
        """See to it that so many are there, without waiting for them. Whether all can be used at once.

        Called whenever there is time.
        """
        for child in list(self._children):
            if child.process.poll() is not None:
                self._children.remove(child)
                child.close()
            elif child.connection is None:
                child.connect(0)
        while len(self._children) < count:
            self._children.append(Child(Stdout.CAPTURE, stdin=False))
        return all(child.connection is not None for child in self._children)

    def take(self) -> Child:
        """The oldest, which is the caller's from now on; a new one if there is none."""
        while self._children:
            child = self._children.pop(0)
            if child.process.poll() is None:
                return child
            child.close()
        return Child(Stdout.CAPTURE, stdin=False)


def _says(payload: bytes, token: str) -> bool:
    """Whether a first frame comes from the process that was given the token."""
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        name, said, _ = json.loads(payload)[0]
        return name == "hello" and isinstance(said, str) and secrets.compare_digest(said, token)
    return False
