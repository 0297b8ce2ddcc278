"""One contestant under one setting: started, asked, warmed up, measured, stopped. What fails is an outcome.

Not for: which comes when (``ordering``), or verifying in full (``visits``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.lifecycle import NotStarted, PortKept, Started, Unavailable
from asyncdemo.lab.harness.protocol.bench import Bench, Failed, offered_per_s, plan_of
from asyncdemo.lab.harness.protocol.description import Check, Condition, Contestant, Scene, Seen, Size, When
from asyncdemo.lab.harness.protocol.ordering import Turn
from asyncdemo.lab.harness.protocol.windows import NEAR, Search, WarmUp, settled, warm_up
from asyncdemo.lab.results.flags import Flag, FlagKind, refuses
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.results.trial import Trial, TrialOutcome
from asyncdemo.load import Plan

Say = Callable[[str], None]
_OF_A_STEP: Final = frozenset({FlagKind.OVER_BUDGET, FlagKind.OVERLOADED, FlagKind.ERRORS})
"""What the search is for: at a lower rate it will be otherwise."""


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
            warmed = warmed_up(self.bench, plan, scene, self.size)
            counted = {
                "warm_up_windows": float(len(warmed.figures)),
                "warm_up_agreed": float(warmed.agreed),
            }
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


def warmed_up(bench: Bench, plan: Plan, scene: Scene, size: Size) -> WarmUp:
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
