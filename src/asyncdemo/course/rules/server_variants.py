"""Servers of a lesson under plain Python: each answers every request of the load once, and ends on Ctrl-C.

Not here: how they behave under load (see ``runs``).
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

from asyncdemo.course.content.load import Load
from asyncdemo.course.rules.problem import Fault
from asyncdemo.serving.ports import HOST, free_port
from asyncdemo.serving.readiness import Probe

_READY_S: Final = 30.0
_ANSWER_S: Final = 30.0
_GRACE_S: Final = 5.0
_IMPORTS_S: Final = 2.5
"""How long a worker's imports may take."""
_ENDS: Final = (0, 130, -2, 3)
"""3 is Quart's signal to its reloader, sent without one too since 0.23."""
_FIRST_ERROR: Final = 400
_WARNING: Final = re.compile(r"^\S.*:\d+: \w*Warning: .*\n?(?:  .*\n?)?", re.MULTILINE)
"""With its source line, as ``warnings`` writes it: it's about a framework, not about why a server failed."""


def faults_of_server(script: Path, load: Load, environment: Mapping[str, str]) -> list[Fault]:
    """Return the faults of a server that uses services with this ``environment``.

    Each server gets a second try: about once in a hundred times, Sanic with workers fails in its own
    shutdown, if the signal arrives in the middle of a question to its manager.
    """
    first = list(_faults(script, load, environment))
    return first and list(_faults(script, load, environment))


def _faults(script: Path, load: Load, environment: Mapping[str, str]) -> Iterator[Fault]:
    port = free_port()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
        process = _started(script, {**os.environ, **environment, "PORT": str(port)}, stderr)
        try:
            if not _is_ready(process, port):
                ended = process.poll()
                how = (
                    f"takes no connections within {_READY_S:.0f} s" if ended is None else f"ends with {ended}"
                )
                yield Fault(_with_last("under plain Python it " + how, stderr), script)
                return
            for message in _refusals(load, port):
                yield Fault(_with_last(f"under plain Python {message}", stderr), script)
            _let_workers_come(process)
            _ask_to_end(process)
            if process.poll() is None:
                yield Fault(f"does not end within {_GRACE_S:.0f} s of Ctrl-C", script)
            elif process.returncode not in _ENDS:
                message = f"ends with {process.returncode} after Ctrl-C"
                yield Fault(_with_last(message, stderr), script)
        finally:
            end_group(process)
            process.wait()


def _started(script: Path, environment: Mapping[str, str], stderr: IO[str]) -> subprocess.Popen[bytes]:
    # Only warnings about the lesson's own code are errors: the frameworks' are not ours to fix.
    with _ending_by_ctrl_c():
        return subprocess.Popen(
            [sys.executable, "-I", "-W", "error:::__main__", script.name],
            cwd=script.parent,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )


@contextlib.contextmanager
def _ending_by_ctrl_c() -> Iterator[None]:
    """Keep child processes from inheriting an ignored SIGINT, as a shell's `command &` leaves it."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if not ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: None)  # a handler is not inherited, and ours still ignores it
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _is_ready(process: subprocess.Popen[bytes], port: int) -> bool:
    probe, end_s = Probe(port), time.monotonic() + _READY_S
    with contextlib.closing(probe):
        while process.poll() is None and time.monotonic() < end_s:
            if probe.answered():
                return True
            time.sleep(0.02)
    return False


def _refusals(load: Load, port: int) -> Iterator[str]:
    for sending in dict.fromkeys(load.sends):
        what = f"{sending.method} {sending.path}"
        connection = http.client.HTTPConnection(HOST, port, timeout=_ANSWER_S)
        with contextlib.closing(connection):
            try:
                connection.request(
                    sending.method, sending.path, sending.body or None, {**dict(sending.headers)}
                )
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException) as error:
                yield f"{what} is not answered: {type(error).__name__}"
                continue
        if (status >= _FIRST_ERROR) if sending.status is None else status != sending.status:
            wanted = "" if sending.status is None else f", not with {sending.status}"
            yield f"{what} is answered with {status}{wanted}"


def _let_workers_come(process: subprocess.Popen[bytes]) -> None:
    """Wait for all workers: when one answers, others may still import, and Ctrl-C then makes Sanic hang."""
    count, since_s = 1, time.monotonic()
    end_s = since_s + _READY_S
    while process.poll() is None and time.monotonic() < end_s:
        members = _members(process.pid)
        if members != count:
            count, since_s = members, time.monotonic()
        if count == 1 or time.monotonic() - since_s > _IMPORTS_S:
            return
        time.sleep(0.1)


def _members(group: int) -> int:
    """Return how many processes a group has; 1 if unknown."""
    with contextlib.suppress(OSError):  # a small container may have no ps
        told = subprocess.run(["ps", "-A", "-o", "pgid="], capture_output=True, text=True, check=False)
        return max([int(line) for line in told.stdout.split()].count(group), 1)
    return 1


def _ask_to_end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has already ended
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)


def end_group(process: subprocess.Popen[Any]) -> None:
    """Kill the process and what it has started, if they have not ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _with_last(message: str, stderr: IO[str]) -> str:
    stderr.seek(0)
    lines = _WARNING.sub("", stderr.read()).strip().splitlines()
    return f"{message}: {lines[-1]}" if lines else message
