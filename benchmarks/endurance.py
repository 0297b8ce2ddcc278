"""What becomes of a long run: the script's memory and CPU, and those of its recorder, during and after it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.processes import PYTHON, WORKLOADS, environment, read_report, run
from benchmarks.summary import Summary, paired_ratios
from benchmarks.table import Row, Target

_SCRIPT = WORKLOADS / "endurance.py"
_MB = 1e6


def measure_endurance(folder: Path, rounds: int, counts: Mapping[str, int]) -> list[Row]:
    """counts: of steps, tasks and threads. The whole of ``asyncdemo trace`` is measured, as text."""
    return [row for kind, count in counts.items() for row in _of(folder / "report.json", rounds, kind, count)]


def _of(report: Path, rounds: int, kind: str, count: int) -> list[Row]:
    bare_s, traced_s, grown, recorder, after_s = [], [], [], [], []
    for _ in range(rounds):
        run([PYTHON, _SCRIPT, report, kind, str(count)])
        bare = read_report(report)
        recorder_bytes, ended_s = _traced([str(report), kind, str(count)])
        traced = read_report(report)
        bare_s.append(bare["cpu_s"])
        traced_s.append(traced["cpu_s"])
        grown.append(max(traced["grown_bytes"] - bare["grown_bytes"], 0.0))
        recorder.append(recorder_bytes)
        after_s.append(ended_s - traced["ended_s"])
    size = f"{count:,} {kind}"
    return [
        Row(f"memory that the script grows by in {size}", Summary.of(grown), _megabytes, Target(32 * _MB)),
        Row("... memory of who records it, at the most", Summary.of(recorder), _megabytes, Target(500 * _MB)),
        Row(
            "... from the script's end to that of `asyncdemo trace`", Summary.of(after_s), _seconds, Target(3)
        ),
        Row(
            "... CPU of the script, × the bare one",
            Summary.of(paired_ratios(traced_s, bare_s)),
            _times,
            Target(2),
        ),
    ]


def _traced(arguments: list[str]) -> tuple[float, float]:
    """(most memory in bytes of the recording process, when it ended). Raises RuntimeError if it failed."""
    process = subprocess.Popen(
        [PYTHON, "-m", "asyncdemo", "trace", "--plain", str(_SCRIPT), *arguments],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    ended_s = time.monotonic()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"asyncdemo trace {arguments} failed with exit code {process.returncode}")
    # Linux counts in KiB, macOS in bytes
    return used.ru_maxrss * (1.0 if sys.platform == "darwin" else 1024.0), ended_s


def _megabytes(figure: float) -> str:
    return f"{figure / _MB:,.0f} MB"


def _seconds(figure: float) -> str:
    return f"{figure:.1f} s"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} ×"
