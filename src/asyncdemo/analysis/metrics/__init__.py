"""The figures of a run: pure functions of a ``Run``.

The glossary of the documentation defines the terms (wall, peak, open, ideal, the states and whose they
are). All times are integer nanoseconds unless the name says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Final, NamedTuple

from asyncdemo.analysis.metrics.cpu import Idle, idle_while_running
from asyncdemo.analysis.metrics.ideal import ideal_ns, was_cut_off
from asyncdemo.analysis.metrics.limits import (
    FunctionUse,
    ResourceUse,
    function_use,
    lane_limits,
    limits,
    most_at_once,
    open_lanes,
    peak,
    resource_use,
)
from asyncdemo.analysis.metrics.memory import MemoryUse, memory_use
from asyncdemo.analysis.metrics.pools import most_open
from asyncdemo.analysis.metrics.requests import RequestUse, request_use, requests_by_path, while_serving
from asyncdemo.analysis.metrics.states import LaneTotals, lane_totals, row_totals, state_sums
from asyncdemo.analysis.metrics.steps import LongestStep, blocking_steps, longest_step
from asyncdemo.model import Outcome, ResourceKind, Run, State, Track

__all__ = [
    "PLAIN_FIGURES",
    "FunctionUse",
    "Idle",
    "LaneTotals",
    "LongestStep",
    "MemoryUse",
    "Metrics",
    "PlainFigure",
    "RequestUse",
    "ResourceUse",
    "blocked_ns",
    "blocking_steps",
    "blocks",
    "function_use",
    "ideal_ns",
    "idle_while_running",
    "lane_totals",
    "left_pending",
    "limits",
    "longest_step",
    "measure",
    "memory_use",
    "most_at_once",
    "open_lanes",
    "peak",
    "request_use",
    "resource_use",
    "row_totals",
    "state_sums",
    "throughput_per_s",
    "wall_ns",
    "was_cut_off",
]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Every figure of a run. The sums of states are over tracks; ``lane_totals`` is per lane.

    If the run is not whole (``Run.is_whole``), lanes, steps and outcomes still count everything. All other
    figures are about what was recorded.

    For a server, the figures about all lanes together (wall to outcomes) cover the lanes that were open
    while requests were in progress.

    Attributes:
        wall_ns: From the first lane's opening to the last lane's end.
        ideal_ns: What the wall would be without overhead. It is not known if the run was stopped before its
            work was done (by a limit, Ctrl-C, a signal or a deadlock), or if a part of it was not recorded.
        lanes: How many lanes there were.
        peak: The most lanes at work at the same time.
        open: The most lanes open at the same time.
        steps: How often event loops ran a task.
        running_ns: How long all tracks ran, in total.
        ready_ns: How long all tracks were ready, in total.
        waiting_ns: How long all tracks waited, in total.
        queued_ns: How long all tracks queued, in total.
        unknown_ns: How long it was not recorded what tracks did, in total.
        blocked_ns: How long steps and other callbacks held an event loop, in total; only those longer than
            the threshold count. Steps of tasks are part of the time in which tracks ran.
        blocks: How many steps and other callbacks held an event loop longer than the threshold.
        longest_step: The longest step of any task; None if none ran.
        throughput_per_s: How many lanes returned, for each second of the wall.
        resources: How each resource was used.
        lane_totals: How long each lane was in each state.
        idle: Time in which threads show as running but used no CPU; estimated.
        outcomes: How many lanes ended in each way; a way that does not occur is left out.
        unawaited: How many coroutines were created, but never awaited.
        left_pending: How many tasks were not done when their event loop ended.
        depth: The greatest length of any queue.
        functions: The calls by function.
        requests: All requests to a server.
        paths: The same for each path.
        memory: The memory of all processes; zeros if it was not sampled.
        processes: How many processes were recorded, including the script's own.
        connections_open: The most connections open at the same time, in all pools together.
    """

    wall_ns: int
    ideal_ns: int | None
    lanes: int
    peak: int
    open: int
    steps: int
    running_ns: int
    ready_ns: int
    waiting_ns: int
    queued_ns: int
    unknown_ns: int
    blocked_ns: int
    blocks: int
    longest_step: LongestStep | None
    throughput_per_s: float
    resources: tuple[ResourceUse, ...]
    lane_totals: tuple[LaneTotals, ...]
    idle: Idle
    outcomes: Mapping[Outcome, int]
    unawaited: int
    left_pending: int
    depth: int
    functions: Mapping[str, FunctionUse]
    requests: RequestUse = field(default_factory=RequestUse)
    paths: Mapping[str, RequestUse] = field(default_factory=dict)
    memory: MemoryUse = field(default_factory=MemoryUse)
    processes: int = 1
    connections_open: int = 0


class PlainFigure(NamedTuple):
    """A field of ``Metrics`` that is a number, as results and manifests show it.

    Attributes:
        name: "wall_s" for ``wall_ns``.
        field: The name of the field.
        unit: "seconds" or "1/second"; "" for a count.
    """

    name: str
    field: str
    unit: str

    def value(self, metrics: Metrics) -> float | None:
        """Return the figure in its unit; None if it is not known."""
        value: float | None = getattr(metrics, self.field)
        return value / 1e9 if value is not None and self.unit == _SECONDS else value


_SECONDS: Final = "seconds"
_PER_SECOND: Final = "1/second"


def _plain_figures() -> Iterator[PlainFigure]:
    for one in fields(Metrics):
        if one.type in ("int", "int | None", "float"):
            in_ns = one.name.endswith("_ns")
            unit = _SECONDS if in_ns else _PER_SECOND if one.name.endswith("_per_s") else ""
            yield PlainFigure(one.name.removesuffix("_ns") + "_s" * in_ns, one.name, unit)


PLAIN_FIGURES: Final = tuple(_plain_figures())
"""Every field of ``Metrics`` that is a number, in their order."""


def measure(run: Run) -> Metrics:
    """Return all figures, for a report; the other functions return single ones."""
    sums = state_sums(run)
    serving = while_serving(run)
    met = lane_limits(serving)
    resources = resource_use(run)
    return Metrics(
        wall_ns=wall_ns(serving),
        # No longer than the run itself: a lane that also works outside its slot need not wait its turn.
        ideal_ns=min(ideal_ns(serving, met), wall_ns(serving))
        if run.is_whole and not was_cut_off(run)
        else None,
        lanes=_outcomes(serving).total(),
        peak=peak(serving, met),
        open=open_lanes(serving),
        steps=_steps(run),
        running_ns=sums[State.RUNNING],
        ready_ns=sums[State.READY],
        waiting_ns=sums[State.WAITING],
        queued_ns=sums[State.QUEUED],
        unknown_ns=sums[State.UNKNOWN],
        blocked_ns=blocked_ns(run),
        blocks=blocks(run),
        longest_step=longest_step(run),
        throughput_per_s=throughput_per_s(serving),
        resources=resources,
        lane_totals=lane_totals(run),
        idle=idle_while_running(run),
        outcomes=_outcomes(serving),
        unawaited=len(run.unawaited),
        left_pending=len(left_pending(run)),
        depth=max((use.peak_held for use in resources if use.resource.kind is ResourceKind.QUEUE), default=0),
        functions=function_use(run, met if serving is run else lane_limits(run)),
        requests=request_use(run),
        paths=requests_by_path(run),
        memory=memory_use(run),
        processes=run.processes,
        connections_open=most_open(run, run.resources),
    )


def _outcomes(run: Run) -> Counter[Outcome]:
    outcomes = Counter(lane.outcome for lane in run.lanes)
    for counted in run.counted:
        outcomes[counted.outcome] += counted.count
    return outcomes


def _steps(run: Run) -> int:
    kept = sum(track.steps for track in run.tracks if not track.own)
    return kept + sum(gap.steps for gap in run.gaps) + sum(counted.steps for counted in run.counted)


def wall_ns(run: Run) -> int:
    """Return the time from the first lane's open to the last lane's close; 0 without lanes."""
    starts, ends = (lane.start_ns for lane in run.lanes), (lane.end_ns for lane in run.lanes)
    return max(ends, default=0) - min(starts, default=0)


def left_pending(run: Run) -> tuple[Track, ...]:
    """Return the program's tasks that were not done when their loop ended, perhaps including the main one."""
    return tuple(track for track in map(run.tracks.__getitem__, run.left_pending) if not track.own)


def throughput_per_s(run: Run) -> float:
    """Return the lanes that returned, per second of wall; 0 if no time passed."""
    returned = _outcomes(run)[Outcome.RETURNED]
    wall = wall_ns(run)
    return returned / (wall / 1e9) if wall else 0.0


def blocked_ns(run: Run) -> int:
    """Return the total time of steps and callbacks that held an event loop longer than the threshold."""
    return sum(step.held_ns for step in blocking_steps(run))


def blocks(run: Run) -> int:
    """Return how many blocking steps there were."""
    return len(blocking_steps(run))
