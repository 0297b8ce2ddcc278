"""Runs the arms of a benchmark: a command, or a script under the tracer; bare, or on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WORKLOADS = Path(__file__).parent / "workloads"
_LIMIT_S = 120.0


def environment(**variables: str) -> dict[str, str]:
    """This process' own, in which the source of this checkout is found, with a known terminal."""
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    return {**kept, "PYTHONPATH": path, "TERM": "xterm-256color", **variables}


def children_cpu_s() -> float:
    """User and system time of all children that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command: Sequence[str | Path], **variables: str) -> None:
    """To the end, without its output. Raises RuntimeError with what it said if it failed."""
    ended = subprocess.run(
        [str(part) for part in command],
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if ended.returncode != 0:
        raise RuntimeError(f"{command} failed:\n{ended.stderr}")


def read_report(report: Path) -> dict[str, Any]:
    """What a workload wrote; gone afterwards, so that no run is counted twice."""
    text = report.read_text(encoding="utf-8")
    report.unlink()
    values: dict[str, Any] = json.loads(text)
    return values


_REDRAWN = re.compile(rb"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)+")
"""How Rich goes back over the lines of a frame, to draw the next one in their place."""


@dataclass(slots=True)
class Screen:
    """What a command drew on its terminal. frames_s: when each frame arrived that replaced one before."""

    written: int = 0
    frames_s: list[float] = field(default_factory=list)

    def rate(self, start_s: float, end_s: float) -> float:
        """Frames a second in a stretch of time."""
        return sum(start_s <= at_s <= end_s for at_s in self.frames_s) / (end_s - start_s)


def on_terminal(command: Sequence[str | Path], columns: int = 160, lines: int = 45) -> Screen:
    """Runs a command whose stdin, stdout and stderr are a terminal. Raises RuntimeError if it fails."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (lines, columns))
    screen, last = Screen(), b""
    try:
        process = subprocess.Popen(
            [str(part) for part in command],
            env=environment(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        limit = time.monotonic() + _LIMIT_S
        while True:
            if time.monotonic() > limit:
                process.kill()
                raise RuntimeError(f"{command} did not end within {_LIMIT_S:.0f} s")
            if not select.select([ours], [], [], 1.0)[0]:
                continue
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # how Linux says that nobody has the terminal open any more
                break
            if not data:
                break
            now_s = time.monotonic()
            # A sequence may be cut in two by the read.
            found = [match.end() for match in _REDRAWN.finditer(last + data)]
            screen.frames_s += [now_s for end in found if end > len(last)]
            screen.written += len(data)
            last = data[-512:] if not found else (last + data)[found[-1] :][-512:]
        if process.wait() != 0:
            raise RuntimeError(f"{command} failed with exit code {process.returncode}")
    finally:
        os.close(ours)
    return screen


PYTHON = sys.executable
