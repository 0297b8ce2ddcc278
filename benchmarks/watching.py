"""How long a learner waits after a save: until `asyncdemo watch` says that it checks, and for the verdict."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.processes import PYTHON, ROOT, environment, run
from benchmarks.summary import Summary
from benchmarks.table import Row, Target

_LESSON = "upload-gate"
_FOLDER = ROOT / "lessons" / "03-limits" / "09-upload-gate"
_CHECKING, _PASSED, _FAILED = b"Checking ", b"Passed", b"Not passed yet"
_LIMIT_S = 60.0
_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Keys are read only of a terminal that controls the session."""
_PAUSE_S = 0.7
"""Between a verdict and the next save: nobody types faster than that."""


def measure_watch(folder: Path, rounds: int) -> list[Row]:
    """Each round saves an exercise that fails, and one that passes: that is run twice, with other knobs.

    From just before the file is written until the words arrive at the other end of the terminal. It is on
    virtual time, so none of the exercise's own time is in it.
    """
    workspace = folder / "workspace"
    state = {"XDG_STATE_HOME": str(folder / "state")}
    run([PYTHON, "-m", "asyncdemo", "start", workspace], **state)
    file = workspace / _FOLDER.parent.name / f"{_FOLDER.name}.py"
    texts = {"fails": (_FOLDER / "exercise.py").read_text(), "passes": (_FOLDER / "solution.py").read_text()}
    checking: list[float] = []
    verdict: dict[str, list[float]] = {arm: [] for arm in texts}
    with _Watch(workspace, state) as watch:
        watch.wait_for(_FAILED)
        for number in range(rounds):
            for arm, text in texts.items():
                time.sleep(_PAUSE_S)
                watch.forget()
                start_s = time.perf_counter()
                file.write_text(f"{text}# {number}\n")
                checking.append(watch.wait_for(_CHECKING) - start_s)
                verdict[arm].append(watch.wait_for(_PASSED if arm == "passes" else _FAILED) - start_s)

    def ms(seconds: float) -> str:
        return f"{seconds * 1000:.0f} ms"

    return [
        Row('from a save to "checking" on the screen', Summary.of(checking), ms, Target(0.1)),
        Row(
            "from a save to the verdict: one run, which fails", Summary.of(verdict["fails"]), ms, Target(0.3)
        ),
        Row(
            "from a save to the verdict: two runs, which pass", Summary.of(verdict["passes"]), ms, Target(0.3)
        ),
    ]


class _Watch:
    """`asyncdemo watch` on a terminal, and what arrives of it."""

    def __init__(self, workspace: Path, variables: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, 100))
        self._arrived = b""
        self._process = subprocess.Popen(
            [PYTHON, "-c", _TAKE_TERMINAL, PYTHON, "-m", "asyncdemo", "watch", _LESSON],
            cwd=workspace,
            env=environment(**variables),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._ours)

    def forget(self) -> None:
        """What has arrived until now."""
        while select.select([self._ours], [], [], 0)[0]:
            os.read(self._ours, 1 << 16)
        self._arrived = b""

    def wait_for(self, words: bytes) -> float:
        """When they arrived. Raises RuntimeError if they do not."""
        limit = time.monotonic() + _LIMIT_S
        while words not in self._arrived:
            if time.monotonic() > limit or self._process.poll() is not None:
                raise RuntimeError(f"{words!r} did not arrive; this did: {self._arrived.decode()}")
            if select.select([self._ours], [], [], 0.5)[0]:
                self._arrived += os.read(self._ours, 1 << 16)
        return time.perf_counter()
