"""What it costs a script to be watched: by asyncdemo and by its peers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asyncdemo.recording.runner import Options, Stdout, record
from asyncdemo.recording.runner import Target as Script
from benchmarks.processes import PYTHON, WORKLOADS, children_cpu_s, read_report, run
from benchmarks.summary import Summary, orders, paired_differences, paired_ratios
from benchmarks.table import Row, Target

BARE, OURS = "bare script", "asyncdemo"
COMPARED = [
    "tool",
    "CPU while the script runs",
    "CPU of the whole process",
    "more CPU a step of the loop's thread",
]
_SCRIPT = WORKLOADS / "yields.py"


@dataclass(frozen=True, slots=True)
class TracingCost:
    """rows: against the targets. compared: one line a tool."""

    rows: list[Row]
    compared: list[list[str]]


def measure_tracing_cost(folder: Path, rounds: int, tasks: int, sleeps: int) -> TracingCost:
    """All arms take turns; CPU time, so that waiting for a processor is not counted."""
    report = folder / "report.json"
    arguments = (str(report), str(tasks), str(sleeps))
    arms = _arms(folder, arguments)
    while_it_runs, whole, of_thread = _columns(), _columns(), _columns()
    steps = 0
    for order in orders(list(arms), rounds):
        for arm in order:
            before_s = children_cpu_s()
            steps = arms[arm]() or steps
            whole[arm].append(children_cpu_s() - before_s)
            used = read_report(report)
            while_it_runs[arm].append(used["process_s"])
            of_thread[arm].append(used["thread_s"])
    a_step = {
        arm: [extra_s / steps for extra_s in paired_differences(of_thread[arm], of_thread[BARE])]
        for arm in arms
    }
    ratios = {arm: paired_ratios(while_it_runs[arm], while_it_runs[BARE]) for arm in arms}
    size = f"{tasks:,} tasks × {sleeps} `sleep(0)`"
    rows = [
        Row(f"more CPU a step of a task ({size})", Summary.of(a_step[OURS]), _nanoseconds, Target(500e-9)),
        Row(f"CPU while {size} run, × the bare script", Summary.of(ratios[OURS]), _times, Target(1.6)),
    ]
    compared = [
        [
            arm,
            _spread(Summary.of(ratios[arm]), _times),
            _spread(Summary.of(paired_ratios(whole[arm], whole[BARE])), _times),
            "" if arm == BARE else _spread(Summary.of(a_step[arm]), _nanoseconds),
        ]
        for arm in arms
    ]
    bare = Summary.of([used_s / steps for used_s in of_thread[BARE]])
    compared[0][1:] = [f"{Summary.of(column[BARE]).median:.3f} s" for column in (while_it_runs, whole)] + [
        f"({_nanoseconds(bare.median)} a step)"
    ]
    return TracingCost(rows, compared)


def _columns() -> defaultdict[str, list[float]]:
    return defaultdict(list)


def _arms(folder: Path, arguments: tuple[str, ...]) -> dict[str, Callable[[], int]]:
    """Each runs the script once; ours tells how many steps there were."""
    command: list[str | Path] = [_SCRIPT, *arguments]

    def ours() -> int:
        recording = record(Script(str(_SCRIPT), args=arguments), Options(stdout=Stdout.TO_STDERR))
        if recording.exit_code != 0:
            raise RuntimeError(f"{_SCRIPT} failed under the tracer: {recording.notes}")
        return sum(track.steps for track in recording.tracks)

    def peer(*before: str | Path, **variables: str) -> Callable[[], int]:
        def arm() -> int:
            run([PYTHON, *before, *command], **variables)
            return 0

        return arm

    return {
        BARE: peer(),
        OURS: ours,
        "asyncio debug mode": peer(PYTHONASYNCIODEBUG="1"),
        "cProfile": peer("-m", "cProfile", "-o", folder / "profile"),
        "VizTracer": peer("-m", "viztracer", "--quiet", "--log_async", "-o", folder / "trace.json", "--"),
    }


def _times(ratio: float) -> str:
    return f"{ratio:.2f} ×"


def _nanoseconds(seconds: float) -> str:
    return f"{seconds * 1e9:,.0f} ns"


def _spread(summary: Summary, text: Callable[[float], str]) -> str:
    if summary.rounds == 1:
        return text(summary.median)
    return f"{text(summary.median)} ({text(summary.least)} .. {text(summary.most)})"
