"""Is the live view smooth with thousands of lanes, and does the script notice that it is drawn?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from benchmarks.processes import PYTHON, WORKLOADS, on_terminal, read_report
from benchmarks.summary import Summary, orders, paired_ratios
from benchmarks.table import Bound, Row, Target

__all__ = ["measure_live_view"]

_TRACE = [PYTHON, "-m", "asyncdemo", "trace"]


def measure_live_view(folder: Path, rounds: int, tasks: int, sleeps: int, seconds: float) -> list[Row]:
    """Frames are counted where they arrive, at the other end of the terminal, while the script runs.

    The script takes its own time, so that neither its start nor the report at the end counts.
    """
    report = folder / "report.json"
    script: list[str | Path] = [WORKLOADS / "lanes.py", report, str(tasks), str(sleeps), str(seconds)]
    arms: dict[str, list[str | Path]] = {
        "bare": [PYTHON, *script],
        "plain": [*_TRACE, "--plain", *script],
        "live": [*_TRACE, *script],
    }
    rates: list[float] = []
    used: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for order in orders(list(arms), rounds):
        for arm in order:
            screen = on_terminal(arms[arm])
            figures = read_report(report)
            for name in ("wall_s", "process_s"):
                used[arm][name].append(figures[name])
            if arm == "live":
                rates.append(screen.rate(figures["start_s"], figures["end_s"]))

    def ratio(name: str, base: str) -> Summary:
        return Summary.of(paired_ratios(used["live"][name], used[base][name]))

    def times(digits: int) -> Callable[[float], str]:
        return lambda figure: f"{figure:.{digits}f} ×"

    lanes = f"{tasks:,} lanes"
    return [
        Row(f"live view of {lanes}", Summary.of(rates), "{:.1f} frames/s".format, Target(10, Bound.AT_LEAST)),
        Row(
            f"wall time of the script, {lanes} drawn live, × recorded without a picture",
            ratio("wall_s", "plain"),
            times(3),
            Target(1.02),
        ),
        Row("its CPU, likewise", ratio("process_s", "plain"), times(3), Target(1.02)),
        Row(
            f"wall time of the script, {lanes} drawn live, × the bare script",
            ratio("wall_s", "bare"),
            times(3),
        ),
        Row("its CPU, likewise", ratio("process_s", "bare"), times(3)),
    ]
