"""How soon the run viewer is there, and how soon it follows a key with ten thousand rows and a million spans.

Beside it a Textual application that shows one static widget: what of that is the framework's.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import statistics
import termios
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from benchmarks.processes import PYTHON, ROOT, WORKLOADS, environment, run
from benchmarks.summary import Summary, orders, paired_ratios
from benchmarks.table import Row, Target

_BASE: Final = "import textual.app"
_KEYS: Final = {
    "a row down": b"\x1b[B",
    "a page of rows": b"\x1b[6~",
    "zoom in": b"+",
    "half a screen later": b"\x1b[1;2C",
    "zoom out": b"-",
    "the whole run": b"0",
}
_LIMIT_S: Final = 60.0
_QUIET_S: Final = 0.15
"""Nothing comes for so long: the screen is as it will be."""


def measure_viewer(folder: Path, rounds: int, tasks: int, sleeps: int) -> list[Row]:
    brief, large = folder / "brief.jsonl", folder / "large.jsonl"
    lesson = ROOT / "lessons" / "01-loop" / "01-two-sleeps" / "awaited.py"
    _record(brief, lesson)
    _record(large, WORKLOADS / "lanes.py", folder / "report.json", str(tasks), str(sleeps), "1.0")
    shown = [PYTHON, "-m", "asyncdemo", "show"]
    static: list[str | Path] = [PYTHON, WORKLOADS / "static_app.py"]
    first_s: defaultdict[str, list[float]] = defaultdict(list)
    keys_s: defaultdict[str, list[float]] = defaultdict(list)
    for order in orders(["import", "static", "brief"], rounds):
        for arm in order:
            if arm == "import":
                start_s = time.perf_counter()
                run([PYTHON, "-c", _BASE])
                first_s[arm].append(time.perf_counter() - start_s)
            else:
                with _Screen(static if arm == "static" else [*shown, brief]) as screen:
                    first_s[arm].append(screen.wait_for(b"ready" if arm == "static" else b"Zoom"))
        with _Screen(static) as screen:
            screen.wait_for(b"ready")
            keys_s["static"].append(statistics.median(screen.press(b"x") for _ in _KEYS))
        with _Screen([*shown, large]) as screen:
            screen.wait_for(b"Zoom")
            for name, key in _KEYS.items():
                keys_s[name].append(screen.press(key))

    def times(arm: str) -> Summary:
        return Summary.of(paired_ratios(first_s[arm], first_s["import"]))

    rows = [
        Row(
            f'first screen of `asyncdemo show`, × `python -c "{_BASE}"`', times("brief"), _times, Target(2.5)
        ),
        Row("first screen of one static widget, likewise", times("static"), _times),
    ]
    rows += [
        Row(f"key to repaint, {tasks:,} rows: {name}", Summary.of(keys_s[name]), _ms, Target(0.05))
        for name in _KEYS
    ]
    return [*rows, Row("key to repaint of one static widget", Summary.of(keys_s["static"]), _ms)]


def _times(ratio: float) -> str:
    return f"{ratio:.2f} ×"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms"


def _record(file: Path, script: Path, *arguments: str | Path) -> None:
    run([PYTHON, "-m", "asyncdemo", "trace", "--plain", "--save", file, script, *arguments])


class _Screen:
    """A command on a terminal, whose keys are pressed."""

    def __init__(self, command: Sequence[str | Path], columns: int = 160, lines: int = 45) -> None:
        self._start_s = time.perf_counter()
        # Only who has the terminal as the one that controls it is asked for keys.
        self._pid, self._ours = pty.fork()
        if not self._pid:
            termios.tcsetwinsize(0, (lines, columns))
            os.execve(command[0], [str(part) for part in command], environment())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            os.write(self._ours, b"q")
            self._until_quiet()
        else:
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._ours)

    def wait_for(self, words: bytes) -> float:
        """How long it took from the start until they stood there; then until nothing more comes."""
        written = b""
        while words not in written:
            if time.perf_counter() - self._start_s > _LIMIT_S:
                raise RuntimeError(f"{words!r} did not come in {_LIMIT_S:.0f} s, but {written[-200:]!r}")
            written += self._read(1.0)
        took_s = time.perf_counter() - self._start_s
        self._until_quiet()
        return took_s

    def press(self, key: bytes) -> float:
        """How long it took until the last of what it changed was there."""
        start_s = time.perf_counter()
        os.write(self._ours, key)
        if not self._read(_LIMIT_S):
            raise RuntimeError(f"nothing came for the key {key!r}")
        return self._until_quiet() - start_s

    def _until_quiet(self) -> float:
        last_s = time.perf_counter()
        while self._read(_QUIET_S):
            last_s = time.perf_counter()
        return last_s

    def _read(self, most_s: float) -> bytes:
        if not select.select([self._ours], [], [], most_s)[0]:
            return b""
        try:
            return os.read(self._ours, 1 << 16)
        except OSError:  # how Linux says that nobody has the terminal open any more
            return b""
