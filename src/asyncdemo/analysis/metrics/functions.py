"""The calls of each function that has lanes: how many, how close together, how they ended."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from asyncdemo.analysis.metrics.limits import Meeting, meetings, most_at_once, most_at_work
from asyncdemo.model import Lane, Outcome, Run, SummedTasks


@dataclass(frozen=True, slots=True)
class FunctionUse:
    """The calls of one function.

    Attributes:
        calls: How many there were.
        peak: The most calls at work at the same time.
        open: The most calls open at the same time.
        gap_ns: The longest time from the start of one call to the start of the next; 0 for fewer than two.
        longest_ns: How long the longest call was open; 0 without any.
        shortest_ns: How long the shortest call was open; 0 without any.
        outcomes: How many ended in each way; a way that does not occur is left out.
    """

    calls: int = 0
    peak: int = 0
    open: int = 0
    gap_ns: int = 0
    longest_ns: int = 0
    shortest_ns: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)


def function_use(run: Run, met: Sequence[Meeting] | None = None) -> dict[str, FunctionUse]:
    """Return function -> its calls, for functions that were called.

    Args:
        met: ``meetings(run)``, if already known.
    """
    calls: defaultdict[str, list[tuple[Lane, Meeting]]] = defaultdict(list)
    for lane, meeting in zip(run.lanes, meetings(run) if met is None else met, strict=True):
        calls[lane.function].append((lane, meeting))
    many: defaultdict[str, list[SummedTasks]] = defaultdict(list)
    for tasks in run.summed:
        many[tasks.function].append(tasks)
    return {function: _use(calls[function], many[function]) for function in [*calls, *many]}


def _use(calls: Sequence[tuple[Lane, Meeting]], many: Sequence[SummedTasks]) -> FunctionUse:
    lanes = [lane for lane, _ in calls]
    others = [times for tasks in many for times in zip(tasks.starts_ns, tasks.ends_ns, strict=True)]
    opened = [*((lane.start_ns, lane.end_ns) for lane in lanes), *others]
    starts = sorted(start for start, _ in opened)
    lengths = [end - start for start, end in opened]
    outcomes = Counter(lane.outcome for lane in lanes)
    for tasks in many:
        outcomes[tasks.outcome] += len(tasks.starts_ns)
    return FunctionUse(
        calls=len(opened),
        peak=most_at_work(calls, others),
        open=most_at_once(opened),
        gap_ns=max((later - earlier for earlier, later in pairwise(starts)), default=0),
        longest_ns=max(lengths),
        shortest_ns=min(lengths),
        outcomes=outcomes,
    )
