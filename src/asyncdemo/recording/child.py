"""The process that a script will run in, from its start until it learns which script that is.

Starting one takes as long as starting Python and loading the tracer, so ``SpareChildren`` start some ahead.
None of them outlives us: each ends by itself once its connection is gone.
Not here: what it then runs, its events and its limits (see ``runner``).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from asyncdemo import capture
from asyncdemo.capture import wire
from asyncdemo.recording.options import Stdout
from asyncdemo.recording.polling import readable
from asyncdemo.recording.processes import ProcessTree
from asyncdemo.recording.stale_folders import FOLDERS, SOCKET, remove_leftovers
from asyncdemo.recording.terminals import open_terminal

_LAUNCH = str(Path(capture.__file__).parent.absolute() / "boot" / "launch.py")
_HELLO_S = 60.0
"""How long a process that has connected may take to identify itself."""
_LONGEST_HELLO = 1024
_MOST_CALLERS = 16
"""Maximum that have not identified themselves; beyond that, the oldest is turned away."""
_SEND_S = 60.0
"""How long the child may take to read what it is sent."""
_LONGEST_NAME = 100
"""Of a socket; approximately the system's limit."""


class Child:
    """A started process and our resources for it.

    ``frames`` reads the connection from its first byte; ``hello`` is its first frame.
    """

    def __init__(
        self, stdout: Stdout, stdin: bool = True, flags: Sequence[str] = (), token: str | None = None
    ) -> None:
        """Start it, with ``flags`` for its Python. Without ``stdin``, the script has nothing to read.

        ``token`` identifies it; by default, a new one.
        """
        self.stdout, self.stdin = stdout, stdin
        self._flags = flags
        self._outputs: dict[int, str] = {}
        self.frames = wire.FrameReader()
        self.hello: tuple[bytes, bytes] | None = None
        self.connection: socket.socket | None = None
        self.token = token = secrets.token_hex(16) if token is None else token
        self._listener = _HandshakeListener(token)
        try:
            self.process = self._spawn(f"{self._listener.address}#{token}")
        except BaseException:
            self._listener.close()
            raise
        self.family = ProcessTree(self.process, token)

    def connect(self, timeout_s: float) -> bool:
        """Wait for it to connect and identify itself, at most this long; return whether it has."""
        if self.connection is None:
            caller = self._listener.admit(timeout_s)
            if caller is not None:
                self.connection, self.frames, self.hello = caller.connection, caller.frames, caller.hello
                self.connection.settimeout(_SEND_S)
                self._listener.close()  # if we were killed later, its socket would be left behind
        return self.connection is not None

    def expect_more(self) -> str:
        """Let in the processes that it starts, too; return the value of ``wire.ENV`` that they need."""
        self._listener = _HandshakeListener(self.token)
        return f"{self._listener.address}#{self.token}"

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def callers(self) -> list[socket.socket]:
        """Sockets that are readable when ``let_in`` should be called; none if no process is expected."""
        return self._listener.sockets

    def let_in(self) -> PendingConnection | None:
        """Return a process that it has started and that knows the token, if one has connected."""
        caller = self._listener.admit(0)
        if caller is not None:
            caller.connection.settimeout(_SEND_S)
        return caller

    def take_outputs(self) -> dict[int, str]:
        """Return descriptor -> "stdout" or "stderr" if these are captured; the caller must close them."""
        outputs, self._outputs = self._outputs, {}
        return outputs

    def close(self) -> None:
        """End it and everything it started, and release all resources. May be called twice."""
        self.family.end()
        self._listener.close()
        if self.connection is not None:
            self.connection.close()
        for descriptor in self.take_outputs():
            os.close(descriptor)

    def _spawn(self, address: str) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        environment[wire.ENV] = address
        # glibc returns freed memory so eagerly that asyncio's 256 KiB receive buffer gets slow
        environment.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 28))
        stdout, stderr, capturing = self._script_output()
        try:
            return subprocess.Popen(
                [sys.executable, *self._flags, _LAUNCH],
                env=environment,
                stdin=None if self.stdin else subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        finally:
            for descriptor in capturing:
                os.close(descriptor)

    def _script_output(self) -> tuple[int | None, int | None, list[int]]:
        """Return (stdout, stderr for the child, descriptors to close here once it has them)."""
        if self.stdout is Stdout.TO_STDERR:
            return 2, None, []
        if self.stdout is Stdout.INHERIT:
            return None, None, []
        ends = []
        for stream in ("stdout", "stderr"):
            readable, writable = open_terminal()
            self._outputs[readable] = stream
            ends.append(writable)
        return ends[0], ends[1], ends


class PendingConnection:
    """A process that has connected but may not have identified itself.

    ``hello`` is its first frame, once complete; ``pid`` is set if it knows the token.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.connection = connection
        self.frames = wire.FrameReader()
        self.hello: tuple[bytes, bytes] | None = None
        self.pid = 0
        self.since_s = time.monotonic()
        self._heard = 0

    def listen(self) -> bool:
        """Read what has arrived; return False if that cannot become a hello."""
        try:
            data = self.connection.recv(_LONGEST_HELLO)
            self.hello = next(self.frames.feed(data), None)
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            return False
        self._heard += len(data)
        return self.hello is not None or (bool(data) and self._heard < _LONGEST_HELLO)


class _HandshakeListener:
    """Where a child and the processes that it starts connect: those that know the token. Others may try."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._callers: list[PendingConnection] = []
        self._folder: str | None = None
        self._listening, self.address = self._open()
        self._listening.setblocking(False)

    @property
    def sockets(self) -> list[socket.socket]:
        """Sockets that are readable when a process connects or sends something; none once closed."""
        if self._listening.fileno() < 0:
            return []
        return [self._listening, *(caller.connection for caller in self._callers)]

    def admit(self, timeout_s: float) -> PendingConnection | None:
        """Return a process that knows the token, if one connects within this time."""
        end_s = time.monotonic() + timeout_s
        while True:
            ready = readable(self.sockets, max(end_s - time.monotonic(), 0))
            for caller in [caller for caller in self._callers if caller.connection in ready]:
                if not caller.listen():
                    self._turn_away(caller)
                elif caller.hello is not None:
                    pid = _says(caller.hello[1], self._token)
                    if pid is not None:
                        caller.pid = pid
                        self._callers.remove(caller)
                        return caller
                    self._turn_away(caller)
            if self._listening in ready:
                self._answer()
            now_s = time.monotonic()
            for caller in [caller for caller in self._callers if now_s - caller.since_s > _HELLO_S]:
                self._turn_away(caller)
            if now_s >= end_s:
                return None

    def close(self) -> None:
        """Stop listening and turn away the rest. May be called twice."""
        for caller in list(self._callers):
            self._turn_away(caller)
        self._listening.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _answer(self) -> None:
        with contextlib.suppress(OSError):  # no more are waiting
            for _ in range(_MOST_CALLERS):
                self._callers.append(PendingConnection(self._listening.accept()[0]))
        for caller in self._callers[:-_MOST_CALLERS]:
            self._turn_away(caller)

    def _turn_away(self, caller: PendingConnection) -> None:
        caller.connection.close()
        self._callers.remove(caller)

    def _open(self) -> tuple[socket.socket, str]:
        remove_leftovers()
        self._folder = tempfile.mkdtemp(prefix=FOLDERS)
        path = os.path.join(self._folder, SOCKET)
        if len(path) < _LONGEST_NAME:
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listening.bind(path)
            listening.listen(_MOST_CALLERS)
            return listening, f"unix:{path}"
        listening = socket.create_server(("127.0.0.1", 0), backlog=_MOST_CALLERS)
        return listening, f"tcp:{listening.getsockname()[1]}"


class SpareChildren:
    """A context manager for children started ahead, for scripts with captured output and no stdin."""

    def __init__(self) -> None:
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._children:
            self._children.pop().close()

    def fill(self, count: int) -> bool:
        """Start children until there are ``count``, without waiting for them; return whether all are ready.

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
        """Return the oldest, or a new one if there is none. The caller must close it."""
        while self._children:
            child = self._children.pop(0)
            if child.process.poll() is None:
                return child
            child.close()
        return Child(Stdout.CAPTURE, stdin=False)


def _says(payload: bytes, token: str) -> int | None:
    """Return the pid of the process that sent a first frame, if it knows the token."""
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        hello = next(wire.messages(payload))
        if type(hello) is wire.Hello and secrets.compare_digest(hello.token, token):
            return hello.pid
    return None
