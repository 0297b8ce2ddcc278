"""How much memory a recorded step takes: in the run that is kept, and in the script that is watched."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from asyncdemo.model import Run
from asyncdemo.recording.runner import Options, Stdout, record
from asyncdemo.recording.runner import Target as Script
from benchmarks.processes import PYTHON, WORKLOADS, read_report, run
from benchmarks.summary import Summary, orders
from benchmarks.table import Row, Target

_SCRIPT = WORKLOADS / "relay.py"
_PAIRS = 10


def measure_memory(folder: Path, rounds: int, steps: int) -> list[Row]:
    """On a script in which tasks wake tasks: a step takes three spans and a wake, the most there is."""
    report = folder / "report.json"
    kept, at_peak, in_child = [], [], []
    for _ in range(rounds):
        run_bytes, peak_bytes = _of_run(report, steps)
        kept.append(run_bytes)
        at_peak.append(peak_bytes)
        in_child.append(_of_child(report, 4 * steps))
    return [
        Row("memory of a recorded run, a step", Summary.of(kept), _bytes, Target(64)),
        Row("... while it is put together, at the most", Summary.of(at_peak), _bytes),
        Row("memory that the script grows by, a step", Summary.of(in_child), _bytes, Target(64)),
    ]


def _of_run(report: Path, steps: int) -> tuple[float, float]:
    """Bytes a step that a run occupies, and that recording it did at the most."""
    tracemalloc.start()
    try:
        recording = _recorded(report, steps)
        gc.collect()
        now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    report.unlink()
    count = sum(track.steps for track in recording.tracks)
    return now / count, most / count


def _of_child(report: Path, steps: int) -> float:
    """Bytes a step by which the script's largest size grows more than it does unwatched.

    From the difference of a long and a short run, as most of a process' size has nothing to do with steps.
    Both are long enough for what waits to be sent to reach its usual size.
    """

    def bare(count: int) -> None:
        run([PYTHON, _SCRIPT, *_arguments(report, count)])

    def watched(count: int) -> None:
        _recorded(report, count)

    def size(arm: Callable[[int], None], count: int) -> float:
        arm(count)
        return float(read_report(report)["most_bytes"])

    sizes = {
        (arm, count): size(arm, count)
        for arm, count in next(orders([(arm, n) for arm in (bare, watched) for n in (steps // 4, steps)], 1))
    }
    grown = {arm: sizes[arm, steps] - sizes[arm, steps // 4] for arm in (bare, watched)}
    return max(grown[watched] - grown[bare], 0.0) / (steps - steps // 4)


def _recorded(report: Path, steps: int) -> Run:
    target = Script(str(_SCRIPT), args=_arguments(report, steps))
    recording = record(target, Options(stdout=Stdout.TO_STDERR))
    if recording.exit_code != 0:
        raise RuntimeError(f"{_SCRIPT} failed under the tracer: {recording.notes}")
    return recording


def _arguments(report: Path, steps: int) -> tuple[str, ...]:
    return str(report), str(_PAIRS), str(steps // (2 * _PAIRS))


def _bytes(figure: float) -> str:
    return f"{figure:.0f} bytes"
