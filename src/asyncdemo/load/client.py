"""The load client's process, seen from outside: started with a plan, read while it runs, stopped."""

from __future__ import annotations

import contextlib
import json
import os
import select
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

import asyncdemo
from asyncdemo.errors import AsyncdemoError
from asyncdemo.load.events import GO, INTERRUPT, PARENT, Event, from_wire
from asyncdemo.load.needed import check_installed
from asyncdemo.load.plan import Plan
from asyncdemo.load.result import Result


class Client:
    """A load in its own process. A context manager: it is closed on exit.

    Args:
        plan: What to send.
        hold: Get ready, but send nothing before ``go``: starting takes longer than many loads do.

    Attributes:
        ready (bool): Whether it can start sending, so that what it does from then on is the load.
        finished (bool): Whether it has sent its last message. Then either ``result`` or ``failure`` is set.
        result: The figures of the load; None until then.
        failure: Why there is no result, in a sentence; None if there is one.

    Raises:
        MissingError: If a package that it needs is not installed.
        AsyncdemoError: If its process cannot be started.
    """

    def __init__(self, plan: Plan, hold: bool = False) -> None:
        check_installed()
        self.ready = False
        self.finished = False
        self.result: Result | None = None
        self.failure: str | None = None
        self._partial = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        try:
            self._process = _spawn(self._errors)
        except BaseException:
            self._errors.close()
            raise
        assert self._process.stdout is not None
        self._output = self._process.stdout
        os.set_blocking(self.fileno(), False)
        self._send(plan.to_json().encode())
        if not hold:
            self.go()

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    def fileno(self) -> int:
        """Return a file descriptor for select or poll; valid until finished."""
        return self._output.fileno()

    def read(self, timeout_s: float = 0) -> list[Event]:
        """Return what has happened since the last call.

        Args:
            timeout_s: The longest time to wait for something to happen.
        """
        if self.finished:
            return []
        data = self._take(timeout_s)
        if data is None:
            self._end()
            return []
        *lines, self._partial = (self._partial + data).split(b"\n")
        events: list[Event] = []
        for line in lines:
            self._handle(line, events)
        return events

    def go(self) -> None:
        """Start sending. Needed only with ``hold``, and only once."""
        self._send(GO)

    def interrupt(self) -> None:
        """Ask it to drop what is under way and report what it has; its result follows."""
        self._send(INTERRUPT)

    def close(self) -> None:
        """Kill the process and release everything. May be called twice."""
        if not self.finished:
            self.finished = True
            self.failure = self.failure or "the load client was stopped before it had finished"
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # data that nobody reads any more
                self._process.stdin.close()
        self._output.close()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, line: bytes) -> None:
        # Its standard input stays open: closing it would tell the client that we are gone.
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it has died: `read` will report how
                self._process.stdin.write(line + b"\n")
                self._process.stdin.flush()

    def _handle(self, line: bytes, events: list[Event]) -> None:
        try:
            message: Mapping[str, Any] | None = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            # for example, a sitecustomize module that prints
            self.failure = f"the load client sent an unexpected message: {line.decode(errors='replace')}"
            self.finished = True
            return
        self.ready = self.ready or "ready" in message
        events.extend(map(from_wire, message.get("events", ())))
        if "result" in message:
            self.result = Result.from_json(message["result"])
            self.finished = True
        elif "failure" in message:
            self.failure = message["failure"]
            self.finished = True

    def _take(self, timeout_s: float) -> bytes | None:
        """Return what there is to read: b"" if nothing comes in time, None at the end."""
        # poll, not select: our process may have more than 1,024 files open
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        if not poll.poll(max(0.0, timeout_s) * 1000):
            return b""
        try:
            # not _output.read(): under gevent, as in Locust, that waits for the end of the load
            return os.read(self.fileno(), 1 << 16) or None
        except BlockingIOError:  # there is nothing, after all
            return b""

    def _end(self) -> None:
        self.finished = True
        code = self._process.wait()
        if self.result is None and self.failure is None:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            how = f"with signal {-code}" if code < 0 else f"with exit code {code}"
            self.failure = f"the load client ended {how} and no result" + (f": {said[-1]}" if said else "")


def _spawn(errors: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            # -P: don't import a learner's `queue.py` from the current folder
            [sys.executable, "-P", "-m", "asyncdemo.load"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            bufsize=0,
            # a terminal's Ctrl-C goes only to our caller, who decides
            start_new_session=True,
        )
    except OSError as error:
        raise AsyncdemoError(f"the load client could not be started: {error}") from error


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    # what would slow the client down, or change its results, is intended for the program being measured
    for name in ("PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONTRACEMALLOC", "PYTHONPROFILEIMPORTTIME"):
        environment.pop(name, None)
    environment[PARENT] = str(os.getpid())
    environment.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 28))
    root = Path(asyncdemo.__file__).parent.parent
    installed = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()]
    if str(root) not in installed:
        # a checkout that is not installed, which we found in some other way
        paths = [path for path in (environment.get("PYTHONPATH"), str(root)) if path]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
    return environment
