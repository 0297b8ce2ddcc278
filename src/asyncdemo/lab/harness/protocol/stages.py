"""The steps of a run: the load client against a server that does nothing, a visit to each contestant under
each setting that needs it, and the attempt to measure one under a setting, whose failure is an outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from asyncdemo.lab.harness import NotStarted, PortKept, Unavailable
from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.protocol.bench import Bench, Failed
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Size, When
from asyncdemo.lab.harness.protocol.lineup import Lineup, Turn, Visit, poisson_seed
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import FlagKind, refuses
from asyncdemo.lab.results.setup import Arm, Calibration, Loop, Model, Setting, Verification
from asyncdemo.lab.results.trial import Trial, TrialOutcome
from asyncdemo.load import Plan, Send

Say = Callable[[str], None]
NULL: Final = Arm("null", "A server that does nothing", Model.COROUTINES)
_RATES: Final = (500, 2000)
"""Of the open loops of the calibration, per second."""
_SENDS: Final = (Send("GET", "/"),)
_LOADED_S: Final = 2.0
"""How long the load for the checks lasts if no capacity is needed."""
_NEAR: Final = 1.05
"""A search stops when the best rate and one that failed are this close."""
_MOST_STEPS: Final = 12
_OF_A_STEP: Final = frozenset({FlagKind.OVER_BUDGET, FlagKind.OVERLOADED, FlagKind.ERRORS})
"""Flags that a search expects: they disappear at a lower rate."""


def utc_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# -- calibration ---------------------------------------------------------------------------------------------


def calibrate(bench: Bench, size: Size, say: Say) -> Calibration:
    """Raises NotStarted, Interrupted, or Failed if even that server answers nothing."""
    closed = Setting("closed", "", Loop.CLOSED, (), clients=50, keep_alive=True)
    condition = Condition(closed, _SENDS)
    figures: dict[str, float] = {}
    say("start")
    with bench.started(Contestant(NULL, bench.null), condition, condition.described(size)) as running:
        running.warm_up(running.plan(), size)
        say("measure")
        load = running.window(running.plan()).load
        figures["requests_per_s"] = load.throughput_per_s
        if load.client_cpu_s:
            figures["requests_per_client_cpu_s"] = load.answered / load.client_cpu_s
        for rate in _RATES:
            say("measure")
            load = running.window(replace(running.plan(), clients=None, rate=rate)).load
            found = {
                "latency_p50_ms": load.latency_ms.get("50"),
                "latency_p99_ms": load.latency_ms.get("99"),
                "lag_p99_ms": load.lag_p99_ms,
                "client_busy": load.client_busy,
            }
            figures |= {f"{name}, {rate} per s": value for name, value in found.items() if value is not None}
    return Calibration(OURS, NULL.title, figures)


# -- visits --------------------------------------------------------------------------------------------------


def planned_visits(lineup: Lineup) -> Iterator[tuple[Contestant, Condition]]:
    """Yield the first setting of each, those whose capacity is needed, and those with checks that are not
    repeated in each trial.
    """
    for contestant in lineup.experiment.contestants:
        mine = [item for item in lineup.experiment.conditions if item.takes(contestant.arm)]
        if contestant.arm.twin_of or contestant.arm.unavailable:
            continue
        for number, condition in enumerate(mine):
            is_seen_later = all(check.always for check in condition.checks)
            if number == 0 or not is_seen_later or lineup.needs_capacity(condition):
                yield contestant, condition


def visit(bench: Bench, lineup: Lineup, contestant: Contestant, condition: Condition, say: Say) -> Visit:
    """Make all checks, and load it if one of them or its capacity needs that. Raises Interrupted."""
    setting, size = condition.described(lineup.size), lineup.size
    arm, needs_capacity = contestant.arm, lineup.needs_capacity(condition)
    found: list[Verification] = []
    seen = Visit(arm.name, setting.name)
    try:
        say("start")
        with bench.started(contestant, condition, setting) as running:
            found += running.look()
            is_loaded = any(check.when is not When.READY for check in condition.checks_of(arm))
            if needs_capacity or is_loaded:
                plan = running.plan()
                if needs_capacity:
                    say("warm up")
                    running.warm_up(plan, size)
                elif plan.requests is None:
                    plan = replace(plan, duration_s=_LOADED_S)
                say("look")
                window = running.window(plan, meanwhile=lambda: found.extend(running.look(When.LOADED)))
                found += running.look(When.AFTER, window.load)
                if needs_capacity:
                    if window.doubts:  # try again: the rate of all rounds follows from it
                        window = running.window(plan)
                    seen = replace(seen, doubts=window.doubts, capacity_per_s=window.load.throughput_per_s)
    except Unavailable as error:
        return Visit(arm.name, setting.name, unavailable=error.why, successor=error.successor)
    except (NotStarted, PortKept, Failed) as failure:
        problem = f"{failure.outcome.value}: {failure}"
        found.append(Verification(arm.name, "it can be looked at", "yes", problem, False, setting.name))
        seen = replace(seen, problem=problem)
    return replace(seen, verifications=tuple(found))


# -- attempts ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attempted:
    """A search has several trials. ``command`` is the one that started it; "" if it did not start."""

    trials: tuple[Trial, ...]
    command: str = ""


def attempt(bench: Bench, lineup: Lineup, turn: Turn, seed: int, say: Say) -> Attempted:
    """Start, check, warm up, measure and stop, calling ``say`` at each step. Raises Interrupted."""
    contestant, condition = lineup.contestant(turn.arm), lineup.condition(turn.setting)
    arm, setting = contestant.arm, lineup.setting(condition)
    broken = validity_checks.not_verified(
        item
        for seen in lineup.visits_of(arm)
        for item in seen.verifications
        if item.setting in {"", turn.setting}
    )
    known = () if broken is None else (broken,)
    begun, command, trials = utc_now(), "", []
    warmed: dict[str, float] = {}
    try:
        say("start")
        with bench.started(contestant, condition, setting) as running:
            command = running.started.command
            for item in running.look(repeated=True):
                if not item.held:
                    problem = f"{item.what}: {item.asked} was asked for, {item.seen} was seen"
                    raise Failed(TrialOutcome.WRONG_ANSWER, problem)
            plan = running.plan(lineup.rate_per_s(condition, arm), poisson_seed(seed, turn))
            if condition.warm:
                say("warm up")
                warmed = running.warm_up(plan, lineup.size)
            say("measure")

            def measure(plan: Plan) -> Trial:
                begun = utc_now()
                window = running.window(plan, counting=True)
                return Trial(
                    *turn,
                    begun,
                    TrialOutcome.MEASURED,
                    offered_per_s=window.offered_per_s,
                    load=window.load,
                    server=window.server,
                    system=window.system,
                    counted={**warmed, **window.counted},
                    histograms=window.measured.histograms,
                    flags=(*known, *window.flags),
                )

            trials = [measure(plan)] if setting.budget_ms is None else _searched(measure, plan)
    except (NotStarted, PortKept, Failed, Unavailable) as failure:
        outcome = failure.outcome
        trials = [Trial(*turn, begun, outcome, str(failure) or outcome.value, flags=known)]
    return Attempted(tuple(trials), command)


def _searched(measure: Callable[[Plan], Trial], plan: Plan) -> list[Trial]:
    """Search for the highest rate within the budget.

    A step that says nothing about the server ends it, and flags the earlier steps, too: the highest rate that
    passed would only be the highest that was measured well.
    """
    trials: list[Trial] = []
    rate, best, failed = plan.rate or 0.0, 0.0, 0.0
    while len(trials) < _MOST_STEPS and not (best and failed and failed <= best * _NEAR):
        trials.append(replace(measure(replace(plan, rate=rate)), step=len(trials) + 1))
        flags = trials[-1].flags
        doubts = [flag for flag in flags if flag.kind not in _OF_A_STEP and refuses([flag])]
        if doubts:
            return [
                replace(step, flags=(*step.flags, *(flag for flag in doubts if flag not in step.flags)))
                for step in trials
            ]
        if {flag.kind for flag in flags} & _OF_A_STEP:
            failed = rate
        else:
            best = rate
        # the geometric mean: the same ratio in either direction
        rate = math.sqrt(best * failed) if best and failed else best * 2 or failed / 2
    return trials
