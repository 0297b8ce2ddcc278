"""Is the live view smooth with thousands of lanes, and does the script notice that it is drawn?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from benchmarks.processes import PYTHON, WORKLOADS, Screen, on_terminal, read_report
from benchmarks.summary import Summary, orders, paired_ratios
from benchmarks.table import Bound, Row, Target

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
        "screen": [PYTHON, WORKLOADS / "live_app.py", folder / "frames.json", *script],
    }
    rates: list[float] = []
    painted: list[float] = []
    used: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for order in orders(list(arms), rounds):
        for arm in order:
            screen = on_terminal(arms[arm])
            figures = read_report(report)
            for name in ("wall_s", "process_s"):
                used[arm][name].append(figures[name])
            if arm == "live":
                rates.append(screen.rate(figures["start_s"], figures["end_s"]))
            elif arm == "screen":
                frames_s = json.loads((folder / "frames.json").read_text(encoding="utf-8"))
                painted.append(Screen(0, frames_s).rate(figures["start_s"], figures["end_s"]))

    def ratio(name: str, base: str, arm: str = "live") -> Summary:
        return Summary.of(paired_ratios(used[arm][name], used[base][name]))

    def times(digits: int) -> Callable[[float], str]:
        return lambda figure: f"{figure:.{digits}f} ×"

    lanes = f"{tasks:,} lanes"
    ten_a_second = Target(10, Bound.AT_LEAST)
    return [
        Row(f"live view of {lanes}", Summary.of(rates), "{:.1f} frames/s".format, ten_a_second),
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
        Row(
            f"step Run of a lesson's screen, {lanes}",
            Summary.of(painted),
            "{:.1f} frames/s".format,
            ten_a_second,
        ),
        Row(
            "wall time of the script, × recorded without a picture",
            ratio("wall_s", "plain", "screen"),
            times(3),
            Target(1.02),
        ),
        Row("its CPU, likewise", ratio("process_s", "plain", "screen"), times(3), Target(1.02)),
    ]
