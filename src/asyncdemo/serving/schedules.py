"""Runs a script in many schedules under the virtual clock, and shrinks those that differ.

A schedule is a script's run on a machine that is now and then busy with something else: time passes before
some callbacks of its event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.analysis.schedules import Attempt, Delays, Exploration, Group, delays_of, ending_of
from asyncdemo.model import Clock, Run, RunOutcome, TrackKind
from asyncdemo.recording.forks import ForkServer
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Recording, Stdout, Target

LIMIT_S: Final = 10.0
"""Default limit in real time for each run."""
MOST_SCHEDULES: Final = 10_000
_AT_A_TIME: Final = 2
_POLL_S: Final = 0.002
_TIMEOUTS: Final = 3
"""After this many schedules that hit their time limit, no others are tried."""
_SHRINKING: Final = 40
"""The most runs for shrinking a schedule."""
_SHORTEST_NS: Final = 1_000
_UNIT_NS: Final = 1_000_000

Look = Callable[[Run, OutputBuffer], Hashable]
"""The caller's verdict on a run; None: compare the run's own results."""


class _Stopped(Exception):
    pass


def explore(
    target: Target,
    options: Options,
    count: int,
    poll: Callable[[], bool] = lambda: True,
    look: Look | None = None,
) -> Exploration:
    """Run the script without a delay, and then with those drawn from the seeds 1, 2, ..., ``count`` in total.

    ``poll`` is called every few milliseconds; if it returns False, return what there is so far. Raises what a
    recording raises.
    """
    options = replace(
        options,
        virtual=True,
        stdin=False,
        stdout=Stdout.CAPTURE,
        timeout_s=LIMIT_S if options.timeout_s is None else options.timeout_s,
    )
    groups: dict[Hashable, Group] = {}
    with ForkServer(target, options) as server:
        runs = _Runs(server, target, options, poll, look)
        try:
            base = next(runs.attempts([()]))
            groups[base.key] = Group(1, base)
            why = _unexplorable(base.run)
            if not why:
                why = _try(runs, groups, count)
                _make_small(runs, groups, base)
        except _Stopped:
            return Exploration(count, _sorted(groups), "It was interrupted.", interrupted=True)
    return Exploration(count, _sorted(groups), why)


def _try(runs: _Runs, groups: dict[Hashable, Group], count: int) -> str:
    """Return why not all were tried, or ""."""
    late = 0
    for attempt in runs.attempts(range(1, count)):
        late += attempt.run.outcome is RunOutcome.TIMEOUT
        found = groups.get(attempt.key, Group(0, attempt))
        example = min(found.example, attempt, key=lambda one: len(delays_of(one.run)))
        groups[attempt.key] = Group(found.count + 1, example)
        if late == _TIMEOUTS:
            return f"{late} schedules reached the time limit, so no more were tried."
    return ""


def _sorted(groups: dict[Hashable, Group]) -> tuple[Group, ...]:
    found = list(groups.values())
    return (*found[:1], *sorted(found[1:], key=_size))


def _size(group: Group) -> tuple[int, int]:
    delays = delays_of(group.example.run)
    return len(delays), sum(length_ns for _, length_ns in delays)


def _unexplorable(run: Run) -> str:
    if run.outcome is RunOutcome.TIMEOUT:
        return "It does not finish even without a delay."
    if run.clock is Clock.REAL:
        return "Time is not virtual, so only one order can be tried: " + " ".join(run.notes)
    if not any(track.kind is TrackKind.TASK for track in run.tracks) and not run.counted:
        return "No asyncio task ran, so there is no order to change."
    return ""


def _make_small(runs: _Runs, groups: dict[Hashable, Group], base: Attempt) -> None:
    """Shrink the differing attempt that has the fewest delays, to fewer and shorter ones.

    Uses delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002),
    up to a maximum number of runs. The outcome may change on the way, as long as it is not the first one.
    """
    differing = [found.example for found in groups.values() if found.example is not base]
    if not differing:
        return
    best = min(differing, key=lambda attempt: len(delays_of(attempt.run)))
    best, left = replace(best, delays=delays_of(best.run)), _SHRINKING

    def differs(delays: tuple[tuple[int, int], ...]) -> bool:
        nonlocal best, left
        left -= 1
        attempt = next(runs.attempts([delays])) if left >= 0 else base
        if attempt.key == base.key or attempt.key not in groups:
            return False
        best = replace(attempt, delays=delays_of(attempt.run))
        return True

    size = len(delays_of(best.run)) // 2 or 1
    while size:
        at = 0
        while at < len(delays := delays_of(best.run)) and len(delays) > 1:
            if not differs(delays[:at] + delays[at + size :]):
                at += size
        size //= 2
    at = 0
    while at < len(delays := delays_of(best.run)):
        callback, length_ns = delays[at]
        half_ns = length_ns // 2 // _UNIT_NS * _UNIT_NS or length_ns // 2
        if half_ns < _SHORTEST_NS or not differs((*delays[:at], (callback, half_ns), *delays[at + 1 :])):
            at += 1
    groups[best.key] = replace(groups[best.key], example=best)


class _Runs:
    """Makes the runs, a few at a time."""

    def __init__(
        self,
        server: ForkServer,
        target: Target,
        options: Options,
        poll: Callable[[], bool],
        look: Look | None,
    ) -> None:
        self._server = server
        self._target = target
        self._options = options
        self._poll = poll
        self._look = look

    def attempts(self, schedules: Iterable[Delays]) -> Iterator[Attempt]:
        """Yield in the order of the schedules. Raises _Stopped."""
        waiting = iter(schedules)
        begun: list[_UnderWay] = []
        try:
            while True:
                while len(begun) < _AT_A_TIME and (delays := next(waiting, None)) is not None:
                    begun.append(self._open(delays))
                    begun[-1].recording.start()
                    begun[-1].recording.go()
                if not begun:
                    return
                if not self._poll():
                    raise _Stopped
                for one in begun:
                    one.over = one.over or not one.recording.poll(_POLL_S)
                while begun and begun[0].over:
                    yield self._attempt(begun[0])
                    begun.pop(0).recording.close()
        finally:
            for one in begun:
                one.recording.close()

    def _open(self, delays: Delays) -> _UnderWay:
        output = OutputBuffer()
        options = replace(self._options, delays=delays)
        child = self._server.child()
        return _UnderWay(delays, output, Recording(self._target, options, output, child=child))

    def _attempt(self, ended: _UnderWay) -> Attempt:
        run = ended.recording.result()
        ending = ending_of(run, ended.output.stdout, ended.output.stderr)
        verdict = None if self._look is None else self._look(run, ended.output)
        return Attempt(ended.delays, run, ending, verdict)


@dataclass(slots=True)
class _UnderWay:
    delays: Delays
    output: OutputBuffer
    recording: Recording
    over: bool = False
