"""Steps that held an event loop or gevent's hub: blocking calls, computation, other threads with the GIL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from asyncdemo.analysis.diagnose.finding import Finding, at, detector, duration, own
from asyncdemo.analysis.diagnose.pooling import made_in
from asyncdemo.analysis.metrics.steps import blocking_steps, in_a_hub
from asyncdemo.analysis.reasons import IN_A_THREAD, find_reason
from asyncdemo.model import Run, SlowStep

_GIL = "gil"

_IN_A_PROCESS = "`await loop.run_in_executor(ProcessPoolExecutor(), ...)`"

_FROM_A_CALLBACK = (
    "A callback can't await. Start a task in it with `loop.create_task(...)`, and in that task: "
)

_IN_THREADPOOL = "`gevent.get_hub().threadpool.apply(...)`"


@detector("blocks-the-loop", "a step or another callback held the event loop longer than the threshold")
def blocks_the_loop(run: Run) -> Iterator[Finding]:
    """Find steps and callbacks beyond the threshold, one per place; the longest total first."""
    made = made_in(run)
    for steps in _by_place(step for step in blocking_steps(run) if step.reason != _GIL):
        longest = max(steps, key=lambda step: step.held_ns)
        in_hub = in_a_hub(run, longest.track)
        made_there = _made_there(longest, made)
        how_long = f"{_how_long(steps)}{at(longest.site, longest.called_from)}".rstrip(",")
        yield Finding(
            f"{_what(longest)} held the {'hub' if in_hub else 'event loop'} {how_long}.",
            made_there or (_advice_in_hub(longest) if in_hub else _advice(longest)),
            longest.site or longest.called_from,
            longest.called_from or own(longest.site),
        )


@detector("gil-held-elsewhere", "the event loop stood still because another thread kept the GIL")
def gil_held_elsewhere(run: Run) -> Iterator[Finding]:
    for steps in _by_place(step for step in blocking_steps(run) if step.reason == _GIL):
        longest = max(steps, key=lambda step: step.held_ns)
        place = at(longest.site, longest.called_from)
        yield Finding(
            f"The event loop could not run {_how_long(steps)} because another thread held the GIL"
            f"{f'; it was{place}' if place else ''}.",
            f"Move what that thread computes to a process: {_IN_A_PROCESS}. Threads share one GIL, and a "
            "call into C that does not release it stops them all.",
            longest.site or longest.called_from,
            longest.called_from or own(longest.site),
        )


def _place(step: SlowStep) -> Hashable:
    """Return a key for its place. Computation is seen on a different line of its function each time."""
    if step.reason == "" and step.called_from is not None:
        return step.reason, step.called_from.file, step.called_from.function or step.called_from.line
    return step.reason, step.site, step.called_from


def _by_place(steps: Iterable[SlowStep]) -> list[list[SlowStep]]:
    groups: defaultdict[Hashable, list[SlowStep]] = defaultdict(list)
    for step in steps:
        groups[_place(step)].append(step)
    return sorted(groups.values(), key=lambda steps: -sum(step.held_ns for step in steps))


def _how_long(steps: Sequence[SlowStep]) -> str:
    longest = max(step.held_ns for step in steps)
    if len(steps) == 1:
        return f"for {duration(longest)}"
    total = sum(step.held_ns for step in steps)
    return f"{len(steps):,} times, for {duration(total)} in total and at most {duration(longest)} each,"


def _made_there(step: SlowStep, made: Mapping[tuple[str, str], str]) -> str:
    """Return advice if it computes because it creates a client for each call: a process wouldn't help."""
    place = step.called_from or step.site
    what = None if step.reason or place is None else made.get((place.file, place.function))
    return f"It creates a {what} for each call, which is slow: create one, and share it." if what else ""


def _computes(step: SlowStep) -> bool:
    return step.cpu_ns is None or 2 * step.cpu_ns >= step.held_ns


def _what(step: SlowStep) -> str:
    if step.reason:
        return find_reason(step.reason).call or f"Waiting ({step.reason})"
    return "Computing" if _computes(step) else "A call that waited outside Python"


def _advice(step: SlowStep) -> str:
    advice = _advice_in_task(step)
    if step.track is not None or step.reason == "import":
        return advice
    return f"{_FROM_A_CALLBACK}{advice[0].lower()}{advice[1:]}"


def _advice_in_task(step: SlowStep) -> str:
    if instead := find_reason(step.reason).instead:
        return instead
    if step.reason or not _computes(step):
        return f"Move the call to a thread: {IN_A_THREAD}."
    return (
        f"Move the work to a process: {_IN_A_PROCESS}. `asyncio.to_thread` does not make it faster: threads "
        "share one GIL. Or do it in pieces, with `await asyncio.sleep(0)` between them."
    )


def _advice_in_hub(step: SlowStep) -> str:
    if instead := find_reason(step.reason).instead_in_hub:
        return instead
    if step.reason or not _computes(step):
        return f"Move the call to a thread: {_IN_THREADPOOL}."
    return (
        "Move the work to another process. A thread does not make it faster: threads share one GIL. Or do "
        "it in pieces, with `gevent.sleep(0)` between them."
    )
