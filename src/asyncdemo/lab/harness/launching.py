"""A server under the lab: its output is kept, it is ready when every worker answers, and it is stopped
together with everything it started.

``guard`` stands between us and the server, so nothing of it survives us.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from asyncdemo.capture import wire
from asyncdemo.lab.harness import NotStarted, PortKept
from asyncdemo.lab.harness.rollcall import Acceptors, RollCall, look
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.recording.polling import readable
from asyncdemo.recording.processes import ProcessTree
from asyncdemo.services.programs import ending_words

# Not with -m and PYTHONPATH, which the server would inherit.
_GUARD: Final = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r}); "
    "from asyncdemo.lab.harness.guard import main; main(sys.argv[1:])"
)
_LAST_LINES: Final = 15
_BYTES_READ: Final = 1 << 14
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


class Running:
    """A ``Started``, once ``wait_ready`` has returned.

    ``command`` is shown: what one would type, without folders, and with PORT for the port. ``endings`` are
    signals that ask it to end.
    """

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        port: int,
        endings: Sequence[signal.Signals],
        environment: Mapping[str, str],
        command: str = "",
    ) -> None:
        """Raises NotStarted if the program does not exist."""
        self.port = self._port = port
        self.command = command
        self._endings = endings
        self._guard_state: dict[str, Any] = {}
        """By the guard: ``pid`` or ``failed``, then ``ended``."""
        self._workers: frozenset[int] = frozenset()
        self._asked_to_end = False
        self._front_died: Callable[[], str] = str
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end)
        token = secrets.token_hex(16)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_INHERITED)}
        # Without the second, importing the app would leave bytecode in its folder.
        kept |= {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", wire.ENV: token, **environment}
        self._guard = subprocess.Popen(
            # -P: don't import a json.py from the current folder.
            [sys.executable, "-P", "-c", _GUARD, *argv],
            cwd=folder,
            env=kept,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            start_new_session=True,  # Ctrl-C goes only to us
        )
        self._process_tree = ProcessTree(self._guard, token)
        try:
            self._read_guard(_GUARD_STARTS_S)
            if "pid" not in self._guard_state:
                why = self._guard_state.get(
                    "failed", f"the process that guards it did not start. {self.log()}"
                )
                raise NotStarted(f"It could not be started: {why}")
        except BaseException:
            self._end_all()
            raise

    def wait_ready(self, workers: int, deadline_s: float, path: str) -> None:
        """Return once this many of its processes have answered requests for ``path``.

        Raises NotStarted, after everything has been stopped.
        """
        roll = RollCall(self._port, self.pids, path)
        try:
            self._await_workers(roll, workers, time.monotonic() + deadline_s)
        except BaseException:
            self._stop()
            raise
        self._workers = frozenset(roll.answered)

    def pids(self) -> tuple[int, ...]:
        self._process_tree.refresh()
        return self._process_tree.pids

    def workers(self) -> tuple[int, ...]:
        return tuple(pid for pid in self.pids() if pid in self._workers)

    def log(self) -> str:
        """Return its last lines."""
        number = self._output.fileno()
        begin = max(0, os.fstat(number).st_size - _BYTES_READ)
        # not read(), which would move where the server writes
        text = os.pread(number, _BYTES_READ, begin).decode("utf-8", "replace")
        return "\n".join([line.rstrip() for line in text.splitlines() if line.strip()][-_LAST_LINES:])

    def stand_behind(self, port: int, died: Callable[[], str]) -> None:
        """Use this port for the load from now on. ``died`` reports the end of whatever listens there."""
        self.port, self._front_died = port, died

    def died(self) -> str:
        return self._own_end() or self._front_died()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        kept = self._stop()
        if kept and error is None:
            raise PortKept(kept)

    def _own_end(self) -> str:
        if self._asked_to_end:
            return ""
        self._read_guard()
        if "ended" in self._guard_state:
            return ending_words(self._guard_state["ended"])
        return "" if self._guard.poll() is None else "has lost the process that guards it"

    def _read_guard(self, timeout_s: float = 0.0) -> None:
        """Wait at most this long for the guard's next words."""
        assert self._guard.stdout is not None
        if readable([self._guard.stdout], timeout_s):
            for line in os.read(self._guard.stdout.fileno(), _BYTES_READ).splitlines():
                self._guard_state |= json.loads(line)

    def _await_workers(self, roll: RollCall, workers: int, end_s: float) -> None:
        doubt_s = 0.0
        while True:
            if died := self._own_end():
                raise self._not_started(f"It {died} before it was ready.", TrialOutcome.DIED)
            seen = look(self._port, self.pids)
            if seen.stranger_listens or roll.accepted_by_stranger:
                doubt_s = doubt_s or time.monotonic()
                if time.monotonic() - doubt_s > _DOUBT_S:
                    words = f"Another program listens on its port, {self._port}."
                    raise self._not_started(words, TrialOutcome.NOT_STARTED)
            else:
                doubt_s = 0.0
            if seen.listeners:
                roll.ask(workers - len(roll.answered))
                if len(roll.answered) >= workers and not doubt_s and not roll.accepted_by_stranger:
                    return
            if time.monotonic() > end_s:
                words = (
                    f"{len(roll.answered)} of {workers} workers answer; the others did not answer in time."
                )
                if not seen.listeners:
                    words = f"It does not listen on port {self._port}, and has not ended either."
                raise self._not_started(words, TrialOutcome.HUNG)
            time.sleep(_AGAIN_S)

    def _not_started(self, sentence: str, outcome: TrialOutcome) -> NotStarted:
        last = "\n".join(f"  {line}" for line in self.log().splitlines())
        words = f"{sentence} Its last output:\n{last}" if last else f"{sentence} It wrote nothing."
        return NotStarted(words, outcome)

    def _stop(self) -> str:
        """Return a sentence if its port is still held, else "". May be called twice."""
        if self._output.closed:
            return ""
        has_died = bool(self._own_end())
        self._asked_to_end = True
        kept = ""
        if not has_died and self._ask_to_end() and (left := self._still(lambda seen: len(seen.listeners))):
            kept = (
                f"It ended when it was asked to, and {left} of its processes still held its port, "
                f"{self._port}. They were killed."
            )
        self._end_all()
        if not kept and self._still(lambda seen: seen.stranger_listens):
            kept = f"It has ended with all its processes, but something still holds its port, {self._port}."
        return kept

    def _ask_to_end(self) -> bool:
        """Signal the whole group, as Ctrl-C does. Return whether its first process ended."""
        for ending in self._endings:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._guard_state["pid"], ending)
            self._read_guard(_GRACE_S)
            if "ended" in self._guard_state:
                return True
        return False

    def _still(self, there: Callable[[Acceptors], int]) -> int:
        """Return how many remain after a while; 0 as soon as there are none."""
        end_s = time.monotonic() + _FREES_S
        while (many := there(look(self._port, self.pids))) and time.monotonic() <= end_s:
            time.sleep(_AGAIN_S)
        return many

    def _end_all(self) -> None:
        self._process_tree.refresh()
        assert self._guard.stdin is not None and self._guard.stdout is not None
        with contextlib.suppress(OSError):
            self._guard.stdin.close()  # the guard kills them, and exits
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(_GRACE_S)
        self._process_tree.end()
        self._guard.stdout.close()
        self._output.close()
