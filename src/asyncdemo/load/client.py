"""The load client's process, seen from outside: started with a plan, read while it runs, ended.

Not for: what it does in there (``process``, ``engine``).
"""

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
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import asyncdemo
from asyncdemo.errors import AsyncdemoError
from asyncdemo.load.events import GO, INTERRUPT, PARENT, Event, from_wire
from asyncdemo.load.needed import check_installed
from asyncdemo.load.plan import Plan
from asyncdemo.load.result import Result

__all__ = ["Client", "check_installed"]

_CHUNK = 1 << 16


class Client:
    """A load under way, in a process of its own. A context manager: it is closed on exit.

    Args:
        plan: What to send.
        hold: Get ready, but send nothing before ``go``: starting takes longer than many loads.
        program: The module that is run, with its arguments: our own, or another that speaks as it does.

    Attributes:
        ready (bool): Whether it could begin; what it does from then on is the load.
        finished (bool): Whether it has said its last word. Then either ``result`` or ``failure`` is there.
        result: The figures of the load; None until then.
        failure: Why there is no result, in a sentence; None if there is one.

    Raises:
        MissingError: If a package that it needs is not installed.
        AsyncdemoError: If its process cannot be started.
    """

    def __init__(self, plan: Plan, hold: bool = False, program: Sequence[str] = ("asyncdemo.load",)) -> None:
        check_installed()
        self.ready = False
        self.finished = False
        self.result: Result | None = None
        self.failure: str | None = None
        self._partial = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        try:
            self._process = _spawn(program, self._errors)
        except BaseException:
            self._errors.close()
            raise
        stdout = self._process.stdout
        assert stdout is not None
        self._output = _Pipe(stdout)
        self._tell(plan.to_json().encode())
        if not hold:
            self.go()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def fileno(self) -> int:
        """To wait for with select or poll, until finished."""
        return self._output.fileno()

    def read(self, timeout_s: float = 0) -> list[Event]:
        """What has happened since the last call.

        Args:
            timeout_s: How long to wait at most for something to happen.
        """
        if self.finished:
            return []
        data = self._output.take(timeout_s)
        if data is None:
            self._end()
            return []
        *lines, self._partial = (self._partial + data).split(b"\n")
        events: list[Event] = []
        for line in lines:
            self._hear(line, events)
        return events

    def go(self) -> None:
        """Begin. Only needed once, and only with hold."""
        self._tell(GO)

    def interrupt(self) -> None:
        """Ask it to let go of what is open and to report what there is; its result follows."""
        self._tell(INTERRUPT)

    def close(self) -> None:
        """End the process, and let go of everything. May be called twice."""
        if not self.finished:
            self.finished = True
            self.failure = self.failure or "the load client was ended before it was finished"
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # what nobody reads any more
                self._process.stdin.close()
        self._output.close()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tell(self, line: bytes) -> None:
        # Its standard input stays open: that it closes tells the client that we are gone.
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it has died: `read` will say how
                self._process.stdin.write(line + b"\n")
                self._process.stdin.flush()

    def _hear(self, line: bytes, events: list[Event]) -> None:
        try:
            message: Mapping[str, Any] | None = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            # somebody's sitecustomize prints, say
            self.failure = f"the load client said what it should not: {line.decode(errors='replace')}"
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

    def _end(self) -> None:
        self.finished = True
        code = self._process.wait()
        if self.result is None and self.failure is None:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            how = f"with signal {-code}" if code < 0 else f"with exit code {code}"
            self.failure = f"the load client ended {how} and no result" + (f": {said[-1]}" if said else "")


class _Pipe:
    """Bytes of a pipe as they come: b"" if there are none now, None at its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        os.set_blocking(stream.fileno(), False)

    def fileno(self) -> int:
        return self._stream.fileno()

    def take(self, timeout_s: float) -> bytes | None:
        # poll, not select: our own process may have more than 1,024 files open
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        if not poll.poll(max(0.0, timeout_s) * 1000):
            return b""
        taken: list[bytes] = []
        while True:
            try:
                data = os.read(self.fileno(), _CHUNK)
            except BlockingIOError:
                return b"".join(taken)
            if not data:
                return b"".join(taken) if taken else None
            taken.append(data)

    def close(self) -> None:
        self._stream.close()


def _spawn(program: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            # -P: a learner's own `queue.py` in the current folder is not meant
            [sys.executable, "-P", "-m", *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            bufsize=0,
            # a terminal's Ctrl-C is for our caller, who then decides
            start_new_session=True,
        )
    except OSError as error:
        raise AsyncdemoError(f"the load client could not be started: {error}") from error


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    # what would slow the client down, or change its results, is meant for the program that is measured
    for name in ("PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONTRACEMALLOC", "PYTHONPROFILEIMPORTTIME"):
        environment.pop(name, None)
    environment[PARENT] = str(os.getpid())
    environment.setdefault("MALLOC_TRIM_THRESHOLD_", str(1 << 28))
    root = Path(asyncdemo.__file__).parent.parent
    installed = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()]
    if str(root) not in installed:
        # a checkout that is not installed, found by us in some other way
        paths = [path for path in (environment.get("PYTHONPATH"), str(root)) if path]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
    return environment
