"""One contestant under one setting: started, asked, warmed up, measured, stopped. What fails is an outcome.

Of warming up there are short windows until two in a row agree; of a search, one for each step.
Not for: which comes when (``lineup``), or verifying in full (``visits``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from asyncdemo.lab.harness import NotStarted, PortKept, Started, Unavailable
from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.protocol.bench import Bench, Failed, offered_per_s, plan_of
from asyncdemo.lab.harness.protocol.description import Check, Condition, Contestant, Scene, Seen, Size, When
from asyncdemo.lab.results.flags import Flag, FlagKind, refuses
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.results.trial import Load, Trial, TrialOutcome
from asyncdemo.load import Plan

Say = Callable[[str], None]
_OF_A_STEP: Final = frozenset({FlagKind.OVER_BUDGET, FlagKind.OVERLOADED, FlagKind.ERRORS})
"""What the search is for: at a lower rate it will be otherwise."""


class Turn(NamedTuple):
    """round, place: from 1."""

    round: int
    place: int
    arm: str
    setting: str


@dataclass(frozen=True, slots=True)
class Attempted:
    """command: with which it was started; "" if it was not."""

    trials: tuple[Trial, ...]
    command: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """rate_per_s: of an open loop; where it is searched, where to begin. flags: that it has beforehand."""

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
        """say: is told each step. Raises Interrupted."""
        begun = self.bench.now()
        command, trials = "", []
        try:
            say("start")
            with started_contestant(self.bench, self.contestant, self.condition) as started:
                command = started.command
                trials = self._trials(started, say)
        except (NotStarted, PortKept, Failed) as failure:
            trials = [self._failed(begun, failure.outcome, str(failure))]
        except Unavailable as error:  # it could be had when it was looked at, under other knobs perhaps
            trials = [self._failed(begun, TrialOutcome.NOT_STARTED, error.why)]
        return Attempted(tuple(trials), command)

    def _trials(self, started: Started, say: Say) -> list[Trial]:
        scene = Scene(self.contestant.arm, self.setting, started)
        for check in of_arm(self.condition, self.contestant):
            if check.always and check.when is When.READY and not (seen := looked(check, scene)).held:
                problem = f"{check.what}: {check.asked} was asked for, {seen.words} was seen"
                raise Failed(TrialOutcome.WRONG_ANSWER, problem)
        plan = plan_of(
            self.condition, self.setting, started.port, self.rate_per_s, self.seed, self.bench.pinning.client
        )
        counted: dict[str, float] = {}
        if self.condition.warm:
            say("warm up")
            counted = warmed_up(self.bench, plan, scene, self.size)
        say("measure")
        if self.setting.budget_ms is None:
            return [self._measured(plan, scene, counted)]
        return self._searched(plan, scene, counted)

    def _searched(self, plan: Plan, scene: Scene, counted: Mapping[str, float]) -> list[Trial]:
        """A step that says nothing of the server ends the search, and withdraws what came before: the rate
        that passed last would only be the highest that was measured well."""
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
            round=self.turn.round,
            place=self.turn.place,
            arm=self.turn.arm,
            setting=self.turn.setting,
            started=begun,
            outcome=TrialOutcome.MEASURED,
            offered_per_s=offered,
            load=measured.load,
            server=window.server,
            system=window.system,
            counted={**counted, **window.counted},
            histograms=measured.histograms,
            flags=(*self.flags, *window.flags(self.setting, offered)),
        )

    def _failed(self, begun: str, outcome: TrialOutcome, problem: str) -> Trial:
        turn = self.turn
        return Trial(
            turn.round,
            turn.place,
            turn.arm,
            turn.setting,
            begun,
            outcome,
            problem or outcome.value,
            flags=self.flags,
        )


@contextmanager
def started_contestant(bench: Bench, contestant: Contestant, condition: Condition) -> Iterator[Started]:
    """Stopped at the end. Raises NotStarted, Unavailable, PortKept."""
    with bench.pinning.of_server():
        running = contestant.served.start({**condition.knobs, **contestant.knobs})
    with running as started:
        yield started


def warmed_up(bench: Bench, plan: Plan, scene: Scene, size: Size) -> dict[str, float]:
    """With our own client, whatever measures: a window of a few moments of the same load."""
    short = replace(plan, requests=None, duration_s=size.warm_up_s)
    loop = Loop.CLOSED if plan.rate is None else Loop.OPEN

    def window() -> float:
        return settled(bench.window(OURS, short, scene).measured.load, loop)

    return warm_up(window, size.most_warm_ups, NEAR[loop])


def looked(check: Check, scene: Scene) -> Seen:
    """What it saw; an exception is something seen, too: the contestant may be the cause of any."""
    try:
        return check.look(scene)
    except Exception as error:  # noqa: BLE001 (what it was is in the record)
        return Seen(f"{type(error).__name__}: {error}", False)


def of_arm(condition: Condition, contestant: Contestant) -> tuple[Check, ...]:
    arm = contestant.arm
    return tuple(
        check
        for check in condition.checks
        if not check.arms or arm.name in check.arms or arm.twin_of in check.arms
    )


NEAR: Final = {Loop.CLOSED: 0.05, Loop.OPEN: 0.10}
"""How far two windows may be apart: of a closed loop the throughput; of an open one, whose throughput is
given, the median latency, which varies more."""


def warm_up(window: Callable[[], float], most: int, near: float) -> dict[str, float]:
    """How many windows there were, and whether the last two agreed; else there were no more to try.

    window: measures one, and gives its figure.
    """
    before, taken, agreed = 0.0, 0, False
    while taken < most and not agreed:
        figure, taken = window(), taken + 1
        before, agreed = figure, taken > 1 and agree(before, figure, near)
    return {"warm_up_windows": float(taken), "warm_up_agreed": float(agreed)}


def agree(one: float, other: float, near: float) -> bool:
    """Two windows without an answer do not: there is nothing yet to agree on."""
    return max(one, other) > 0 and abs(one - other) <= near * max(one, other)


def settled(load: Load, loop: Loop) -> float:
    """The figure of a window that must have settled; 0 if nothing was answered.

    A median needs fewer samples here than to be quoted, so with too few for that the mean stands in.
    """
    if loop is Loop.CLOSED:
        return load.throughput_per_s
    return load.latency_ms.get("50", load.latency_ms.get("mean", 0.0))


class Search:
    def __init__(self, start_per_s: float, near: float = 0.05, most: int = 12) -> None:
        """near: it ends when the best rate is so close to one that failed. most: steps."""
        if not (start_per_s > 0 and near > 0 and most > 0):
            raise ValueError("a search needs a rate, a nearness and a number of steps above 0")
        self._rate = start_per_s
        self._near, self._most = near, most
        self._failed: float | None = None
        self._steps = 0
        self.best_per_s: float | None = None

    def next_rate(self) -> float | None:
        """None once it is over."""
        best, failed = self.best_per_s, self._failed
        if self._steps >= self._most or (best and failed and failed / best <= 1 + self._near):
            return None
        return self._rate

    def tell(self, passed: bool) -> None:
        """Of the rate that was asked for last."""
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
            # geometric: the same share of the rate in either direction
            self._rate = (self.best_per_s * self._failed) ** 0.5
