"""A server under the lab: its output is kept, it is ready when every worker answers, and it is stopped
together with everything it started.

``guard`` stands between us and the server, so nothing of it survives us.
Not here: the command that starts it (see ``servers``).
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from asyncdemo.lab.harness import NotStarted, PortKept
from asyncdemo.lab.harness.rollcall import Acceptors, RollCall, look
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.lab.servers import PYTHON, Command
from asyncdemo.recording.processes import ProcessTree
from asyncdemo.services.programs import ending_words

_SOURCE: Final = str(Path(__file__).resolve().parents[3])
_LINES_KEPT: Final = 200
_LINES_TOLD: Final = 15
_DOUBT_S: Final = 0.5
"""How long a port must seem to belong to another program: a process may start between two looks."""
_GUARD_STARTS_S: Final = 30.0
_AGAIN_S: Final = 0.02
_GRACE_S: Final = 5.0
"""For each of the signals that ask it to end."""
_FREES_S: Final = 5.0
"""How long its remaining processes may hold the port after its first process has ended."""
# Variables that would configure a server, or its Python, without being part of the command that is shown.
_NOT_INHERITED: Final = (
    *("PYTHON", "GUNICORN_", "UVICORN_", "HYPERCORN_", "SANIC_", "FLASK_", "UWSGI_", "GEVENT", "EVENTLET_"),
    *("WEB_CONCURRENCY", "WERKZEUG_", "SENDFILE", "FORWARDED_ALLOW_IPS", "PORT", "LAB_", "ASYNCDEMO_"),
)


_Failure = tuple[str, TrialOutcome]
"""The problem in words, and the outcome of the trial."""


class Running:
    """A ``Started``, once ``wait_ready`` has returned. ``executable`` is the interpreter for the command."""

    def __init__(self, command: Command, executable: str, endings: Sequence[signal.Signals]) -> None:
        """Raises NotStarted if the program does not exist."""
        self.port = self._port = command.port
        self.command = command.shown
        self._endings = endings
        self._said: deque[str] = deque(maxlen=_LINES_KEPT)
        self._messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._ended: str = ""
        self._workers: frozenset[int] = frozenset()
        self._asked_to_end = False
        self._front_died: Callable[[], str] = str
        token = secrets.token_hex(16)
        self._guard = subprocess.Popen(
            # -P: don't import a json.py from the current folder.
            [sys.executable, "-P", "-m", "asyncdemo.lab.harness.guard"],
            env=os.environ | {"PYTHONPATH": _SOURCE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C goes only to us
        )
        self._family = ProcessTree(self._guard, token)
        self._listeners = [
            threading.Thread(target=target, name=f"server {target.__name__}", daemon=True)
            for target in (self._hear_guard, self._hear_server)
        ]
        for listener in self._listeners:
            listener.start()
        order = {
            "argv": _argv(command, executable),
            "folder": str(command.folder),
            "environment": _environment(command.environment),
            "token": token,
        }
        try:
            self._order(order)
        except BaseException:
            self._end_all()
            raise

    def wait_ready(self, workers: int, deadline_s: float, path: str) -> None:
        """Return once this many of its processes have answered requests for ``path``.

        Raises NotStarted, after everything has been stopped.
        """
        roll = RollCall(self._port, self.pids, path)
        try:
            failure = self._await_workers(roll, workers, time.monotonic() + deadline_s)
        except BaseException:
            self._stop()
            raise
        self._workers = frozenset(roll.answered)
        if failure is not None:
            self._stop()  # now all of its output has been read
            problem, outcome = failure
            raise NotStarted(self._with_log(problem), outcome)

    def pids(self) -> tuple[int, ...]:
        self._family.look()
        return self._family.pids

    def workers(self) -> tuple[int, ...]:
        return tuple(pid for pid in self.pids() if pid in self._workers)

    def log(self) -> str:
        return "\n".join([*self._said][-_LINES_TOLD:])

    def stand_behind(self, port: int, died: Callable[[], str]) -> None:
        """Use this port for the load from now on. ``died`` reports the end of whatever listens there."""
        self.port, self._front_died = port, died

    def died(self) -> str:
        return self._own_end() or self._front_died()

    def _own_end(self) -> str:
        if self._asked_to_end:
            return ""
        with contextlib.suppress(queue.Empty):
            while True:
                message = self._messages.get_nowait()
                self._ended = message.get("ended", self._ended)
        if not self._ended and self._guard.poll() is not None:
            self._ended = "has lost the process that guards it"
        return self._ended

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        kept = self._stop()
        if kept and error is None:
            raise PortKept(kept)

    def _order(self, order: Mapping[str, object]) -> None:
        assert self._guard.stdin is not None
        try:
            self._guard.stdin.write(json.dumps(order).encode() + b"\n")
            self._guard.stdin.flush()
            message = self._messages.get(timeout=_GUARD_STARTS_S)
        except (OSError, queue.Empty):
            message = {"failed": f"the process that guards it did not start. {self.log()}"}
        if "pid" not in message:
            raise NotStarted(f"It could not be started: {message.get('failed', message.get('ended', ''))}")
        self._pid = int(message["pid"])

    def _await_workers(self, roll: RollCall, workers: int, end_s: float) -> _Failure | None:
        doubt_s = 0.0
        while True:
            if died := self._own_end():
                return f"It {died} before it was ready.", TrialOutcome.DIED
            seen = look(self._port, self.pids)
            if seen.stranger_listens or roll.accepted_by_stranger:
                doubt_s = doubt_s or time.monotonic()
                if time.monotonic() - doubt_s > _DOUBT_S:
                    return f"Another program listens on its port, {self._port}.", TrialOutcome.NOT_STARTED
            else:
                doubt_s = 0.0
            if seen.listeners:
                roll.ask(workers - len(roll.answered))
                if len(roll.answered) >= workers and not doubt_s and not roll.accepted_by_stranger:
                    return None
            if time.monotonic() > end_s:
                return self._hung(roll, workers), TrialOutcome.HUNG
            time.sleep(_AGAIN_S)

    def _hung(self, roll: RollCall, workers: int) -> str:
        if not look(self._port, self.pids).listeners:
            return f"It does not listen on port {self._port}, and has not ended either."
        return f"{len(roll.answered)} of {workers} workers answer; the others did not answer in time."

    def _with_log(self, sentence: str) -> str:
        last = "\n".join(f"  {line}" for line in self.log().splitlines())
        return f"{sentence} Its last output:\n{last}" if last else f"{sentence} It wrote nothing."

    def _stop(self) -> str:
        """Return a sentence if its port is still held, else "". May be called twice."""
        if self._guard.stdin is None or self._guard.stdin.closed:
            return ""
        has_died = bool(self._own_end())
        self._asked_to_end = True
        kept = "" if has_died or not self._ask_to_end() else self._leftovers()
        self._end_all()
        return kept or self._kept_by_stranger()

    def _ask_to_end(self) -> bool:
        """Signal the whole group, as Ctrl-C does. Return whether its first process ended."""
        for ending in self._endings:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, ending)
            with contextlib.suppress(queue.Empty):
                while "ended" not in self._messages.get(timeout=_GRACE_S):
                    pass
                return True
        return False

    def _leftovers(self) -> str:
        """Describe processes of it that go on listening. They are killed anyway."""
        if not (left := self._still(lambda seen: len(seen.listeners))):
            return ""
        return (
            f"It ended when it was asked to, and {left} of its processes still held its port, {self._port}. "
            "They were killed."
        )

    def _kept_by_stranger(self) -> str:
        if not self._still(lambda seen: seen.stranger_listens):
            return ""
        return f"It has ended with all its processes, but something still holds its port, {self._port}."

    def _still(self, there: Callable[[Acceptors], int]) -> int:
        """Return how many remain after a while; 0 as soon as there are none."""
        end_s = time.monotonic() + _FREES_S
        while (many := there(look(self._port, self.pids))) and time.monotonic() <= end_s:
            time.sleep(_AGAIN_S)
        return many

    def _end_all(self) -> None:
        self._family.look()
        assert self._guard.stdin is not None
        with contextlib.suppress(OSError):
            self._guard.stdin.close()  # the guard kills them, and exits
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(_GRACE_S)
        self._family.end()
        for listener in self._listeners:
            listener.join(timeout=1)

    def _hear_guard(self) -> None:
        assert self._guard.stdout is not None
        with self._guard.stdout as lines:
            for line in lines:
                message = json.loads(line)
                if "ended" in message:
                    message["ended"] = ending_words(message["ended"])
                self._messages.put(message)

    def _hear_server(self) -> None:
        assert self._guard.stderr is not None
        with self._guard.stderr as lines:
            for line in lines:
                if text := line.decode("utf-8", "replace").rstrip():
                    self._said.append(text)


def _argv(command: Command, executable: str) -> list[str]:
    """Look for the program beside the interpreter, then on PATH."""
    program, *arguments = command.argv
    if program == PYTHON:
        return [executable, *arguments]
    beside = Path(executable).with_name(program)
    return [str(beside) if beside.exists() else program, *arguments]


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_INHERITED)}
    # Without the second, importing the app would leave bytecode in its folder.
    return kept | {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"} | dict(settings)
