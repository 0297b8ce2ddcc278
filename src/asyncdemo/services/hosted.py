"""Our side of one service: its process, its responses, and the last lines that its server printed."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import MissingError, ServiceError
from asyncdemo.packages import install_command
from asyncdemo.services.folders import remove_leftovers
from asyncdemo.services.programs import ending_words
from asyncdemo.services.service import Choice, Source

_STARTS_S: Final = 60.0
_RESETS_S: Final = 30.0
_ENDS_S: Final = 20.0
"""A PostgreSQL that does not end is killed after 10."""
_ORPHANS_S: Final = 5.0
_HEARD_S: Final = 1.0
_AGAIN_S: Final = 0.01
_LAST_LINES: Final = 5
_SOURCE: Final = str(Path(__file__).resolve().parents[2])
_Message = dict[str, Any]


class Hosted:
    """One service. Once it has started, ``environment`` says how to reach it and ``words`` what it is."""

    def __init__(self, choice: Choice) -> None:
        """Start its process without waiting for it."""
        self.choice = choice
        self._noun = choice.noun
        self.environment: dict[str, str] = {}
        self.words = ""
        self.server_pid: int | None = None
        self._said: deque[str] = deque(maxlen=_LAST_LINES)
        self._messages: queue.SimpleQueue[_Message | None] = queue.SimpleQueue()
        self._lost: str | None = None
        self._closing = False
        paths = [path for path in (os.environ.get("PYTHONPATH"), _SOURCE) if path]
        self._process = subprocess.Popen(
            # -P: do not import a redis.py in the current folder instead of the package.
            [sys.executable, "-P", "-W", "ignore", "-m", "asyncdemo.services.host"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us
        )
        self._listeners = [
            threading.Thread(target=target, name=f"{choice.service.name} {target.__name__}", daemon=True)
            for target in (self._read_answers, self._read_output)
        ]
        for listener in self._listeners:
            listener.start()
        order = {"name": choice.service.name, "source": choice.source, "where": choice.where}
        self._send(json.dumps(order))

    def wait_started(self) -> None:
        message = self._answer(_STARTS_S, "start")
        if "missing" in message:
            raise MissingError(
                f"{self._noun} needs a package that is missing or broken: {message['missing']}. "
                f"To install what the lessons need: {install_command('course')}"
            )
        if "started" not in message:
            self._read_to_end()
            words = self._failed(message, "did not start")
            if self.choice.source is Source.URL:
                variable = self.choice.service.address_variable
                words = f"{words} If you unset {variable}, asyncdemo starts one for you."
            raise ServiceError(self._with_last_words(words))
        started = message["started"]
        self.environment, self.words = started["environment"], started["words"]
        self.server_pid = started["pid"]

    def ask_reset(self) -> None:
        """Call ``wait_reset`` afterwards. Several services can reset at the same time this way."""
        self._send("reset")

    def wait_reset(self) -> None:
        message = self._answer(_RESETS_S, "be reset")
        if "reset" not in message:
            raise ServiceError(self.died() or self._with_last_words(self._failed(message, "is gone")))

    def died(self) -> str | None:
        """Return a sentence if it has ended without being asked to."""
        code = self._process.poll()
        if self._closing or (self._lost is None and code is None):
            return None
        if code is not None and code < 0:
            self._end_orphans()
        self._read_to_end()
        how = self._lost or ending_words(code or 0)
        return self._with_last_words(f"{self._noun} has died: its server {how}.")

    def kill(self) -> None:
        if self.choice.source is Source.URL:
            raise ServiceError(f"{self._noun} was not started by asyncdemo, so it is not killed.")
        if self.server_pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.server_pid, signal.SIGKILL)

    def ask_end(self) -> None:
        """Call ``wait_end`` afterwards. May be called twice, and while other threads wait for the start."""
        if not self._closing and not self.environment:
            self._process.terminate()  # it does not read stdin yet
        self._closing = True
        if self._process.stdin is not None:
            with suppress(OSError):  # it is gone
                self._process.stdin.close()

    def wait_end(self) -> None:
        """Return when nothing is left of it. May be called twice."""
        try:
            self._process.wait(_ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.returncode < 0:
            self._end_orphans()
        self._read_to_end()

    def _failed(self, message: _Message, otherwise: str) -> str:
        text = f"{self._noun} {message.get('failed', otherwise)}"
        return text if text.endswith((".", "?", "!")) else f"{text}."

    def _end_orphans(self) -> None:
        """Kill the server that its killed process could not end: it is still in the same process group."""
        with suppress(ProcessLookupError, PermissionError):
            end_s = time.monotonic() + _ORPHANS_S
            while time.monotonic() < end_s:
                os.killpg(self._process.pid, signal.SIGKILL)
                time.sleep(_AGAIN_S)
        remove_leftovers()

    def _send(self, line: str) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):  # it is gone, as ``_answer`` will find out
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()

    def _answer(self, within_s: float, what: str) -> _Message:
        """Return its next message; empty if it has ended without one."""
        end_s = time.monotonic() + within_s
        while True:
            try:
                message = self._messages.get(timeout=max(end_s - time.monotonic(), 0))
            except queue.Empty:
                text = f"{self._noun} took more than {within_s:.0f} s to {what}."
                raise ServiceError(self._with_last_words(text)) from None
            if message is None:
                self._messages.put(None)  # for the next call: there will be no other message
                return {}
            if "lost" not in message:
                return message

    def _with_last_words(self, sentence: str) -> str:
        last = "\n".join(f"  {line}" for line in list(self._said))
        return f"{sentence} Its last output:\n{last}" if last else sentence

    def _read_to_end(self) -> None:
        """Read the remaining output of a process that has ended or is about to."""
        for listener in self._listeners:
            listener.join(timeout=_HEARD_S)

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                message: _Message = json.loads(line)
                self._lost = message.get("lost", self._lost)
                self._messages.put(message)
        self._messages.put(None)

    def _read_output(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                if text := line.decode("utf-8", "replace").rstrip():
                    self._said.append(text)
