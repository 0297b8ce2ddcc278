"""aiohttp and httpx as load clients: engines to beware of.

At its limit a client measures itself, and these have theirs where many servers do not: the same two servers
change their order when the client is changed. They are there to show that, in the rig and in the calibration
of our own client, and never in an experiment. Not for: measuring (``engines``), or other programs
(``cross_checks``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.engines import Engine, Measured, measured_of
from asyncdemo.load import Plan, Result
from asyncdemo.packages import version_of
from asyncdemo.recording.polling import readable

__all__ = ["PYTHON_CLIENTS", "PythonClient", "found_python_clients"]

_READY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class PythonClient:
    """An ``Engine``. name: of the package, too."""

    name: str

    def prepared(self, plan: Plan) -> AbstractContextManager[PythonSending]:
        return _sending(self, plan)


class PythonSending:
    def __init__(self, client: PythonClient, plan: Plan) -> None:
        self._name, self._plan = client.name, plan
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._said = b""
        self._process = subprocess.Popen(
            # -P: a learner's own httpx.py in the current folder is not meant
            [sys.executable, "-P", "-m", "asyncdemo.lab.harness.python_client", client.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            bufsize=0,
            start_new_session=True,  # a Ctrl-C is for us
        )
        self._tell(plan.to_json().encode())

    @property
    def pids(self) -> tuple[int, ...]:
        return (self._process.pid,)

    def wait_ready(self) -> None:
        """Raises AsyncdemoError if it ends before, or takes too long."""
        deadline_s = time.monotonic() + _READY_S
        while b"\n" not in self._said:
            if self._hear(0.1) or time.monotonic() >= deadline_s:
                raise AsyncdemoError(self._words("did not get ready"))

    def go(self) -> None:
        self._tell(b"go")

    def finished(self, within_s: float) -> bool:
        """It has told its result, or has ended without one."""
        return self._said.count(b"\n") > 1 or self._hear(within_s) or self._said.count(b"\n") > 1

    def measured(self) -> Measured:
        lines = self._said.splitlines()
        try:
            told: Any = json.loads(lines[1])["result"]
        except (IndexError, ValueError, KeyError, TypeError):
            raise AsyncdemoError(self._words("gave no result")) from None
        return measured_of(self._plan, Result.from_json(told))

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._errors.close()

    def _tell(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + b"\n")
        except OSError:
            raise AsyncdemoError(self._words("ended")) from None

    def _hear(self, within_s: float) -> bool:
        """Whether there is nothing more to come."""
        assert self._process.stdout is not None
        if not readable([self._process.stdout], within_s):
            return False
        more = os.read(self._process.stdout.fileno(), 1 << 16)
        self._said += more
        return not more

    def _words(self, problem: str) -> str:
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().splitlines()[-1:]
        return f"the load client with {self._name} {problem}{': ' if last else ''}{''.join(last)}"


@contextmanager
def _sending(client: PythonClient, plan: Plan) -> Iterator[PythonSending]:
    sending = PythonSending(client, plan)
    try:
        sending.wait_ready()
        yield sending
    finally:
        sending.close()


PYTHON_CLIENTS: Final = (PythonClient("aiohttp"), PythonClient("httpx"))


def found_python_clients() -> tuple[Engine, ...]:
    """Those whose package is installed."""
    return tuple(client for client in PYTHON_CLIENTS if version_of(client.name))
