"""The process that a script will run in, from its start until it learns which script that is.

Starting one takes as long as starting Python and loading the tracer, so ``SpareChildren`` start some ahead.
None of them outlives us: each ends by itself once its connection is gone.
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
from asyncdemo.errors import MissingError
from asyncdemo.recording.options import Stdout, start_only
from asyncdemo.recording.polling import readable
from asyncdemo.recording.processes import ProcessTree
from asyncdemo.recording.terminals import open_terminal

_LAUNCH = str(Path(capture.__file__).parent.absolute() / "boot" / "importlib_bootstrap.py")
_SEND_S = 60.0
"""How long a process may take to read what it is sent."""
_LONGEST_FOLDER = 70
"""The name of a socket may have about 100 characters."""


class Child:
    """A started process and our resources for it. ``connection`` is the one from it, once there is one."""

    def __init__(
        self, stdout: Stdout, stdin: bool = True, flags: Sequence[str] = (), token: str | None = None
    ) -> None:
        """Start it, with ``flags`` for its Python. Without ``stdin``, the script has nothing to read.

        ``token`` identifies it; by default, a new one.
        """
        self._stdout, self._stdin = stdout, stdin
        self._flags = flags
        self._outputs: dict[int, str] = {}
        self.connection: ChildConnection | None = None
        self.token = token = secrets.token_hex(16) if token is None else token
        self._listener = HandshakeListener(token)
        try:
            self.process = self._spawn(self._listener.address)
        except BaseException:
            self._listener.close()
            raise
        self.process_tree = ProcessTree(self.process, token)

    def connect(self, timeout_s: float) -> ChildConnection | None:
        """Return its connection, waiting for it at most this long."""
        if self.connection is None:
            self.connection = self._listener.admit(timeout_s)
            if self.connection is not None:
                self._listener.close()  # if we were killed later, its socket would be left behind
        return self.connection

    def expect_subprocesses(self) -> str:
        """Also accept the processes that it starts; return the value of ``wire.ENV`` that they need."""
        self._listener = HandshakeListener(self.token)
        return self._listener.address

    @property
    def handshake_sockets(self) -> list[socket.socket]:
        """Sockets that are readable when ``admit`` should be called; none if no process is expected."""
        return self._listener.sockets

    def admit(self) -> ChildConnection | None:
        """Return a process that it has started and that knows the token, if one has connected."""
        return self._listener.admit(0)

    def take_outputs(self) -> dict[int, str]:
        """Return descriptor -> "stdout" or "stderr" if these are captured; the caller must close them."""
        outputs, self._outputs = self._outputs, {}
        return outputs

    def close(self) -> None:
        """End it and everything it started, and release all resources. May be called twice."""
        self.process_tree.end()
        self.release()

    def release(self) -> None:
        """Release all resources, once it has ended. What it started goes on."""
        self._listener.close()
        if self.connection is not None:
            self.connection.socket.close()
        for descriptor in self.take_outputs():
            os.close(descriptor)

    def _spawn(self, address: str) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        environment[wire.ENV] = address
        for name, value in start_only().items():
            environment.setdefault(name, value)
        stdout, stderr, capturing = self._script_output()
        try:
            return subprocess.Popen(
                [sys.executable, *self._flags, _LAUNCH],
                env=environment,
                stdin=None if self._stdin else subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        finally:
            for descriptor in capturing:
                os.close(descriptor)

    def _script_output(self) -> tuple[int | None, int | None, list[int]]:
        """Return (stdout, stderr for the child, descriptors to close here once it has them)."""
        if self._stdout is Stdout.TO_STDERR:
            return 2, None, []
        if self._stdout is Stdout.INHERIT:
            return None, None, []
        ends = self._open_terminals()
        return ends[0], ends[1], ends

    def _open_terminals(self) -> list[int]:
        """Return the script's ends of terminals for its stdout and stderr."""
        ends = []
        for stream in ("stdout", "stderr"):
            ours, its = open_terminal()
            self._outputs[ours] = stream
            ends.append(its)
        return ends


class ChildConnection:
    """A connection from a process. ``pid`` is 0 until the process has shown that it knows the token."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.socket = connection
        self.frames = wire.FrameReader()
        self.pid = 0

    def identify(self, token: str) -> bool:
        """Read what has arrived; return False if that is not what one of our processes would say."""
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
            try:
                data = self.socket.recv(4096)
            except BlockingIOError:
                return True
            first = next(self.frames.feed(data), None)
            if first is None:
                return bool(data)
            hello = next(wire.messages(first[1]), None)
            if type(hello) is wire.Hello and secrets.compare_digest(hello.token, token):
                self.socket.settimeout(_SEND_S)
                self.pid = hello.pid
                return True
        return False


class HandshakeListener:
    """Where a child and the processes that it starts connect: those that know the token. Others may try.

    ``address`` is the value of ``wire.ENV`` for those processes.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._unknown: list[ChildConnection] = []
        try:
            where = None if len(tempfile.gettempdir()) <= _LONGEST_FOLDER else "/tmp"
            self._folder = tempfile.mkdtemp(prefix="asyncdemo-", dir=where)
        except OSError as error:
            raise MissingError(f"Can't create a socket: {error}. Set TMPDIR to a short path.") from error
        path = os.path.join(self._folder, "events")
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(path)
        self._listening.listen()
        self._listening.setblocking(False)
        self.address = f"{path}#{token}"

    @property
    def sockets(self) -> list[socket.socket]:
        """Sockets that are readable when a process connects or sends something; none once closed."""
        if self._listening.fileno() < 0:
            return []
        return [self._listening, *(one.socket for one in self._unknown)]

    def admit(self, timeout_s: float) -> ChildConnection | None:
        """Return the connection of a process that knows the token, if one connects within this time."""
        end_s = time.monotonic() + timeout_s
        while True:
            ready = readable(self.sockets, max(end_s - time.monotonic(), 0))
            for one in [one for one in self._unknown if one.socket in ready]:
                known = one.identify(self._token)
                if one.pid or not known:
                    self._unknown.remove(one)
                if one.pid:
                    return one
                if not known:
                    one.socket.close()
            if self._listening in ready:
                with contextlib.suppress(OSError):  # it has gone again
                    self._unknown.append(ChildConnection(self._listening.accept()[0]))
            if time.monotonic() >= end_s:
                return None

    def close(self) -> None:
        """Stop listening and turn away the rest. May be called twice."""
        while self._unknown:
            self._unknown.pop().socket.close()
        self._listening.close()
        shutil.rmtree(self._folder, ignore_errors=True)


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
