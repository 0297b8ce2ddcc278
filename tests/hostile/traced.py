"""Puts a hostile script under ``asyncdemo trace``, as a user would, and looks at everything it left behind.

Not for: what a script is expected to do; the tests say that.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asyncdemo import store
from asyncdemo.model import Run
from tests.cli.commands import in_process

MARK = "ASYNCDEMO_TEST_MARK"
"""In the environment of the command, to distinguish whatever a script starts from other processes."""

PATIENCE_S = 40
"""More than any of these may take on a busy machine: a test that waits this long has found a hang."""


@dataclass(frozen=True)
class Traced:
    """What one command left behind. run: as ``--save`` wrote it, None if nothing was recorded."""

    code: int
    out: str
    err: str
    run: Run | None

    @property
    def recorded(self) -> Run:
        assert self.run is not None, f"nothing was recorded: {self.err}"
        return self.run

    @property
    def lanes(self) -> list[str]:
        return [lane.name for lane in self.recorded.lanes]

    @property
    def words(self) -> str:
        """All that was said, on one line: where a line is broken is not the matter."""
        return " ".join(f"{self.out} {self.err}".split())


def trace(folder: Path, text: str | bytes, *options: str, name: str = "script.py", **more: Any) -> Traced:
    """Trace a script of this text; what it writes beside itself is in the folder."""
    script = folder / name
    script.write_bytes(text if isinstance(text, bytes) else text.encode())
    return trace_file(script, *options, **more)


def trace_file(
    script: Path,
    *options: str,
    args: tuple[str, ...] = (),
    stdin: bytes = b"",
    cwd: Path | None = None,
    plain: bool = True,
    may_change: bool = False,
    may_leave: bool = False,
) -> Traced:
    """Asserts what holds for every script: it ends, nothing is left running, and its file is untouched.

    cwd: where the command is given, else in the script's folder. plain: in words, else as JSON.
    may_change: the script itself rewrites its file. may_leave: it leaves processes running.
    """
    mark = uuid.uuid4().hex
    saved = script.parent / "run.jsonl"
    before = _contents(script)
    with nullcontext() if may_leave else nothing_left(mark), limited():
        options = ("--plain" if plain else "--json", "--save", os.fspath(saved), *options)
        done = in_process(
            *("trace", *options, _as_typed(script, cwd), *args),
            stdin=stdin,
            cwd=cwd or script.parent,
            **{MARK: mark},
        )
    if not may_change:
        assert _contents(script) == before, "the script's file was touched"
    assert "/src/asyncdemo/" not in done.err, f"a traceback of our own: {done.err[-3000:]}"
    return Traced(done.code, done.out, done.err, store.load(saved) if saved.exists() else None)


@contextmanager
def limited() -> Iterator[None]:
    """Fails if the body, which waits for others in this process, does not end."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"not over after {PATIENCE_S} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def nothing_left(mark: str) -> Iterator[None]:
    """Fails if a process with this mark outlives the body, and ends it."""
    try:
        yield
        left: list[int] = []

        def none() -> bool:
            left[:] = marked(mark)
            return not left

        # a killed process is there for a moment until the system has taken it away
        assert until(none, 3), f"left running: {[_describe(pid) for pid in left]}"
    finally:
        for pid in marked(mark):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass  # it has just ended


def until(holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait for a condition; False if it does not come true in time."""
    limit = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def marked(mark: str) -> list[int]:
    """The processes that have this mark in their environment, zombies left out."""
    if os.path.exists("/proc/self/environ"):
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and _has(pid, mark)]
    lines = subprocess.run(
        ["ps", "axeww", "-o", "pid=,stat=,command="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [int(line.split()[0]) for line in lines if mark in line and "Z" not in line.split()[1]]


def is_alive(pid: int) -> bool:
    """Is there such a process, and is it more than a zombie?"""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip()) and "Z" not in done.stdout


def _has(pid: str, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark.encode() in file.read() and is_alive(int(pid))
    except OSError:
        return False


def _describe(pid: int) -> str:
    done = subprocess.run(
        ["ps", "-o", "pid=,ppid=,pgid=,stat=,args=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def _as_typed(script: Path, cwd: Path | None) -> str:
    """In its own folder a script is called by its name alone, elsewhere by its whole path."""
    return script.name if cwd is None else os.fspath(script)


def _contents(script: Path) -> tuple[bytes, int] | None:
    try:
        return (script.read_bytes(), script.stat().st_mtime_ns) if script.is_file() else None
    except OSError:  # may not be read
        return None
