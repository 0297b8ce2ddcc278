"""What seed 004 needs besides ``twenty-one-pairs.toml``: its stack, its settings, and its bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.definition import load_experiment
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, PlannedRow
from asyncdemo.lab.harness.served_app import shared_packages
from asyncdemo.lab.results.configuration import CONFIGURATIONS, Configuration, fitted
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.stack.bounds import count_processors, differing, waiting_bound
from asyncdemo.lab.stack.pairs import BASE, PAIRS, SIX, Stacked, condition, contestant
from asyncdemo.lab.stack.start import Stack, open_stack
from asyncdemo.packages import WITHOUT_WHEEL

BASE_AGAIN: Final = f"{BASE}-again"
"""The base, measured a second time, for the base's own row in the article, whose ratio is 1."""
_ROWS: Final = {BASE_AGAIN if name == BASE else name: pair.row for name, pair in PAIRS.items()}
"""Arm -> its row in the article."""
_FEW: Final = 3
"""Rounds for pairs and settings for which no ranking is claimed."""
_SHARES: Final = (0.5, 0.7, 0.9)
_PUBLISHED: Final = ("mine", "better-async", "better-sync")
_LONG: Final = "mine-long"


@contextmanager
def prepared(context: ExperimentContext) -> Iterator[Experiment]:
    """Raises MissingError and ServiceError."""
    with open_stack(context.say) as stack:
        yield _experiment(stack, context)


def _experiment(stack: Stack, context: ExperimentContext) -> Experiment:
    processors = count_processors()
    configurations = {**CONFIGURATIONS, "fitted": fitted(processors)}
    experiment = load_experiment("twenty-one-pairs", context, names=_ROWS)
    contestants = _contestants(stack, context)
    served = [item.served.served for item in contestants if isinstance(item.served, Stacked)]
    six = ", ".join(PAIRS[name].title for name in SIX)
    return replace(
        experiment,
        contestants=contestants,
        conditions=_conditions(stack, configurations, processors),
        rows=tuple(_predicted(row, stack, configurations, processors) for row in experiment.rows),
        packages=tuple(name for name in shared_packages(served) if name not in WITHOUT_WHEEL),
        programs=stack.programs,
        missing=stack.missing,
        own_pids=stack.pids,
        died=stack.died,
        notes=(
            f"Only six pairs are in every round, under the three settings with published figures: {six}. All "
            f"else is in the first {_FEW} rounds at most, and not ranked.",
            stack.words,
            *experiment.notes,
        ),
    )


def _contestants(stack: Stack, context: ExperimentContext) -> tuple[Contestant, ...]:
    """Measure the six in all rounds, the others in few, and the base twice, for its own row."""
    made = {
        name: contestant(
            stack,
            pair,
            context.apps,
            context.on_progress,
            rounds=None if name in SIX else _FEW,
        )
        for name, pair in PAIRS.items()
    }
    arm = made[BASE].arm
    again = replace(arm, name=BASE_AGAIN, title=f"{arm.title}, a second time", twin_of=BASE)
    return (*made.values(), replace(made[BASE], arm=again))


def _conditions(
    stack: Stack, configurations: Mapping[str, Configuration], processors: int
) -> tuple[Condition, ...]:
    """Do all checks for the first; in trials, those without a load. Only full runs go beyond the third."""
    own = configurations["fitted"]
    titles = {
        "mine": "My benchmark",
        "better-async": "Better async",
        "better-sync": "Better sync",
        "fitted": f"My benchmark, {own.workers_sync} and {own.workers_async} workers for {processors} "
        "processors",
        "original": "Original",
    }
    closed = [
        condition(
            stack,
            name,
            title,
            configurations[name],
            rounds=None if name in _PUBLISHED else _FEW,
            in_full=name == "mine",
        )
        for name, title in titles.items()
    ]
    long = condition(
        stack, _LONG, f"{titles['mine']}, in longer windows", configurations["mine"], SIX, _FEW, in_full=False
    )
    return (*closed, long, *(_level(closed[0], share) for share in _SHARES))


def _level(mine: Condition, share: float) -> Condition:
    """Load at a share of what the slowest of the six can do, to see the latency there."""
    setting = Setting(
        f"mine-at-{share * 100:.0f}",
        f"{mine.setting.title}, an open loop at {share:.0%} of the slowest",
        Loop.OPEN,
        (),
        arrivals="poisson",
        of_capacity=share,
        timeout_s=mine.setting.timeout_s,
    )
    checks = tuple(check for check in mine.checks if check.always)
    return replace(mine, setting=setting, arms=SIX, capacity=_LONG, rounds=_FEW, checks=checks)


def _predicted(
    row: PlannedRow, stack: Stack, configurations: Mapping[str, Configuration], processors: int
) -> PlannedRow:
    configuration = configurations.get("mine" if row.setting == _LONG else row.setting)
    if configuration is None:
        return row
    pair = PAIRS[BASE if row.arm == BASE_AGAIN else row.arm]
    bound = waiting_bound(row.figure, configuration, (pair, PAIRS[BASE]), stack.pooler is not None)
    return replace(row, bound=bound, differs=differing(pair, configuration, processors))
