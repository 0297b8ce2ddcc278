"""One contestant under one setting: started, checked, warmed up, measured, stopped. A failure is an outcome.

Warm-up consists of short windows until two in a row agree; a search has one window for each step.
Not here: the order of attempts (see ``lineup``), or full verification (see ``preflight``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from asyncdemo.lab.harness import NotStarted, PortKept, Started, Unavailable
from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.protocol.bench import Bench, Failed, offered_per_s
from asyncdemo.lab.harness.protocol.description import Check, Condition, Contestant, Scene, Seen, Size, When
from asyncdemo.lab.results.flags import Flag, FlagKind, refuses
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.results.trial import Load, Trial, TrialOutcome
from asyncdemo.load import Plan

Say = Callable[[str], None]
_OF_A_STEP: Final = frozenset({FlagKind.OVER_BUDGET, FlagKind.OVERLOADED, FlagKind.ERRORS})
"""Flags that a search expects: they disappear at a lower rate."""


class Turn(NamedTuple):
    """The first fields of a trial: ``round`` and ``place`` count from 1."""

    round: int
    place: int
    arm: str
    setting: str


@dataclass(frozen=True, slots=True)
class Attempted:
    """``command`` is the one it was started with; "" if it was not started."""

    trials: tuple[Trial, ...]
    command: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """``rate_per_s`` is for an open loop: the first rate of a search. ``flags`` are known beforehand."""

    bench: Bench
    contestant: Contestant
    condition: Condition
    setting: Setting
    size: Size
    turn: Turn
    rate_per_s: float | None = None
    seed: int = 0
    flags: tuple[Flag, ...] = ()

    def run(self, say: Say) -> Attempted:
        """Run, calling ``say`` at each step. Raises Interrupted."""
        begun = self.bench.now()
        command, trials = "", []
        try:
            say("start")
            with started_contestant(self.bench, self.contestant, self.condition) as started:
                command = started.command
                trials = self._trials(started, say)
        except (NotStarted, PortKept, Failed) as failure:
            trials = [self._failed(begun, failure.outcome, str(failure))]
        except Unavailable as error:  # it was available when checked, perhaps with other knobs
            trials = [self._failed(begun, TrialOutcome.NOT_STARTED, error.why)]
        return Attempted(tuple(trials), command)

    def _trials(self, started: Started, say: Say) -> list[Trial]:
        scene = Scene(self.contestant.arm, self.setting, started)
        for check in self.condition.checks_of(self.contestant.arm):
            if check.always and check.when is When.READY and not (seen := looked(check, scene)).held:
                problem = f"{check.what}: {check.asked} was asked for, {seen.words} was seen"
                raise Failed(TrialOutcome.WRONG_ANSWER, problem)
        plan = self.bench.plan(self.condition, self.setting, started.port, self.rate_per_s, self.seed)
        counted: dict[str, float] = {}
        if self.condition.warm:
            say("warm up")
            counted = warmed_up(self.bench, plan, scene, self.size)
        say("measure")
        if self.setting.budget_ms is None:
            return [self._measured(plan, scene, counted)]
        return self._searched(plan, scene, counted)

    def _searched(self, plan: Plan, scene: Scene, counted: Mapping[str, float]) -> list[Trial]:
        """End the search at a step that says nothing about the server, and flag the earlier steps, too: the
        highest rate that passed would only be the highest that was measured well.
        """
        search, trials = Search(plan.rate or 0.0), list[Trial]()
        while (rate := search.next_rate()) is not None:
            trial = self._measured(replace(plan, rate=rate), scene, counted)
            trials.append(replace(trial, step=len(trials) + 1))
            doubts = [flag for flag in trial.flags if flag.kind not in _OF_A_STEP and refuses([flag])]
            if doubts:
                return [
                    replace(step, flags=(*step.flags, *(flag for flag in doubts if flag not in step.flags)))
                    for step in trials
                ]
            search.tell(not {flag.kind for flag in trial.flags} & _OF_A_STEP)
        return trials

    def _measured(self, plan: Plan, scene: Scene, counted: Mapping[str, float]) -> Trial:
        begun = self.bench.now()
        window = self.bench.window(self.setting.tool, plan, scene, self.condition.counts)
        offered, measured = offered_per_s(plan), window.measured
        return Trial(
            *self.turn,
            begun,
            TrialOutcome.MEASURED,
            offered_per_s=offered,
            load=measured.load,
            server=window.server,
            system=window.system,
            counted={**counted, **window.counted},
            histograms=measured.histograms,
            flags=(*self.flags, *window.flags(self.setting, offered)),
        )

    def _failed(self, begun: str, outcome: TrialOutcome, problem: str) -> Trial:
        return Trial(*self.turn, begun, outcome, problem or outcome.value, flags=self.flags)


@contextmanager
def started_contestant(bench: Bench, contestant: Contestant, condition: Condition) -> Iterator[Started]:
    """Stop it at the end. Raises NotStarted, Unavailable, PortKept."""
    with bench.pinning.of_server():
        running = contestant.served.start({**condition.knobs, **contestant.knobs})
    with running as started:
        yield started


def warmed_up(bench: Bench, plan: Plan, scene: Scene, size: Size) -> dict[str, float]:
    """Warm up with our own client, whichever engine measures: short windows of the same load."""
    short = replace(plan, requests=None, duration_s=size.warm_up_s)
    loop = Loop.CLOSED if plan.rate is None else Loop.OPEN

    def window() -> float:
        return settled(bench.window(OURS, short, scene).measured.load, loop)

    return warm_up(window, size.most_warm_ups, NEAR[loop])


def looked(check: Check, scene: Scene) -> Seen:
    """Return the result. An exception is a result, too, since the contestant may have caused it."""
    try:
        return check.look(scene)
    except Exception as error:  # noqa: BLE001 (what it was is in the record)
        return Seen(f"{type(error).__name__}: {error}", False)


NEAR: Final = {Loop.CLOSED: 0.05, Loop.OPEN: 0.10}
"""How far apart two windows may be: in throughput for a closed loop; for an open one, whose throughput is
given, in median latency, which varies more.
"""


def warm_up(window: Callable[[], float], most: int, near: float) -> dict[str, float]:
    """Call ``window`` for figures until two in a row agree, or ``most`` times. Return count and agreement."""
    before, taken, agreed = 0.0, 0, False
    while taken < most and not agreed:
        figure, taken = window(), taken + 1
        before, agreed = figure, taken > 1 and _agree(before, figure, near)
    return {"warm_up_windows": float(taken), "warm_up_agreed": float(agreed)}


def _agree(one: float, other: float, near: float) -> bool:
    """Return False for two windows without an answer: there is nothing to agree on yet."""
    return max(one, other) > 0 and abs(one - other) <= near * max(one, other)


def settled(load: Load, loop: Loop) -> float:
    """Return the figure of a window that must settle; 0 if nothing was answered.

    A median that is not quoted needs fewer samples, so if there are too few to quote it, use the mean.
    """
    if loop is Loop.CLOSED:
        return load.throughput_per_s
    return load.latency_ms.get("50", load.latency_ms.get("mean", 0.0))


class Search:
    def __init__(self, start_per_s: float, near: float = 0.05, most: int = 12) -> None:
        """Stop when the best rate is within ``near`` of one that failed, or after ``most`` steps."""
        self._rate = start_per_s
        self._near, self._most = near, most
        self._failed: float | None = None
        self._steps = 0
        self.best_per_s: float | None = None

    def next_rate(self) -> float | None:
        """Return None once it is over."""
        best, failed = self.best_per_s, self._failed
        if self._steps >= self._most or (best and failed and failed / best <= 1 + self._near):
            return None
        return self._rate

    def tell(self, passed: bool) -> None:
        """Report whether the rate returned last has passed."""
        self._steps += 1
        if passed:
            self.best_per_s = self._rate
        else:
            self._failed = self._rate
        if self._failed is None:
            self._rate *= 2
        elif self.best_per_s is None:
            self._rate /= 2
        else:
            # geometric mean: the same ratio in either direction
            self._rate = (self.best_per_s * self._failed) ** 0.5
