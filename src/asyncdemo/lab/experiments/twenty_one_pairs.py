"""Seed 004: twenty-one pairs of framework and server on one stack, under the settings of its author.

Not for: the stack (``lab.stack``), or the rows of the report (``twenty_one_pairs_rows``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.experiments.twenty_one_pairs_rows import BASE_AGAIN, reconfigured_rows, result_rows
from asyncdemo.lab.harness.pinning import choose_pinning
from asyncdemo.lab.harness.protocol import Asked, Condition, Contender, Experiment, Size, latency
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.stack import (
    BASE,
    CONFIGURATIONS,
    PAIRS,
    SIX,
    Configuration,
    Stack,
    condition,
    contender,
    fitted,
    open_stack,
)
from asyncdemo.packages import WITHOUT_WHEEL

__all__ = ["prepared"]

_ARTICLE: Final = "twenty-one-pairs"
_FEW: Final = 3
"""Rounds of the pairs and settings of which no ranking is claimed."""
_SHARES: Final = (0.5, 0.7, 0.9)
_PUBLISHED: Final = ("mine", "better-async", "better-sync")
_LONG: Final = "mine-long"
_LONG_S: Final = 20.0
"""10,000 answers, which a 99th percentile needs, in one window: where 12 s were enough for the median pair,
Flask on Gunicorn had 7,000."""


@dataclass(frozen=True, slots=True)
class _Scenario:
    """column: of the article's table of throughputs; "" if it has none."""

    title: str
    configuration: Configuration
    column: str = ""


def _scenarios(processors: int) -> Mapping[str, _Scenario]:
    own = fitted(processors)
    return {
        "mine": _Scenario("My benchmark", CONFIGURATIONS["mine"], "mine"),
        "better-async": _Scenario("Better async", CONFIGURATIONS["better-async"], "better_async"),
        "better-sync": _Scenario("Better sync", CONFIGURATIONS["better-sync"], "better_sync"),
        "fitted": _Scenario(
            f"My benchmark, {own.workers_sync} and {own.workers_async} workers for {processors} processors",
            own,
            "mine",
        ),
        "original": _Scenario("Original", CONFIGURATIONS["original"]),
    }


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    """Raises MissingError and ServiceError."""
    with open_stack(surroundings.say) as stack:
        yield _experiment(stack, surroundings)


def _experiment(stack: Stack, surroundings: Surroundings) -> Experiment:
    processors = _processors()
    scenarios = _scenarios(processors)
    return Experiment(
        _ARTICLE,
        "Twenty-one pairs",
        contenders=_contenders(stack, surroundings),
        conditions=_conditions(stack, scenarios),
        asked=tuple(_asked(stack, scenarios, processors)),
        article=_ARTICLE,
        lesson="rig-it",
        sizes=_sizes(),
        packages=tuple(sorted(_packages())),
        programs=stack.programs,
        missing=stack.missing,
        own_pids=stack.pids,
        died=stack.died,
        notes=_notes(stack),
    )


def _processors() -> int:
    """That the lab may use; the servers are kept off the client's."""
    pinning = choose_pinning()
    return len({*pinning.client, *pinning.server}) or os.cpu_count() or 1


def _contenders(stack: Stack, surroundings: Surroundings) -> tuple[Contender, ...]:
    """The six in all rounds, the others in few; the base twice, which makes its row of the article."""
    made = {
        name: contender(
            stack, pair, surroundings.apps, surroundings.tell, rounds=None if name in SIX else _FEW
        )
        for name, pair in PAIRS.items()
    }
    arm = made[BASE].arm
    again = replace(arm, name=BASE_AGAIN, title=f"{arm.title}, a second time", twin_of=BASE)
    return (*made.values(), replace(made[BASE], arm=again))


def _conditions(stack: Stack, scenarios: Mapping[str, _Scenario]) -> tuple[Condition, ...]:
    """The first has all checks, each trial those without a load. Only a full run goes on after the third."""
    closed = [
        condition(
            stack,
            name,
            scenario.title,
            scenario.configuration,
            rounds=None if name in _PUBLISHED else _FEW,
            in_full=name == "mine",
        )
        for name, scenario in scenarios.items()
    ]
    mine = scenarios["mine"]
    long = condition(
        stack, _LONG, f"{mine.title}, in longer windows", mine.configuration, SIX, _FEW, in_full=False
    )
    return (*closed, long, *(_level(closed[0], share) for share in _SHARES))


def _level(mine: Condition, share: float) -> Condition:
    """As much as the slowest of the six can do, and less: what their latency is then."""
    setting = Setting(
        _level_name(share),
        f"{mine.setting.title}, an open loop at {share:.0%} of the slowest",
        Loop.OPEN,
        (),
        arrivals="poisson",
        of_capacity=share,
        timeout_s=mine.setting.timeout_s,
    )
    checks = tuple(check for check in mine.checks if check.always)
    return replace(mine, setting=setting, arms=SIX, capacity=_LONG, rounds=_FEW, checks=checks)


def _level_name(share: float) -> str:
    return f"mine-at-{share * 100:.0f}"


def _asked(stack: Stack, scenarios: Mapping[str, _Scenario], processors: int) -> Iterator[Asked]:
    article = load_article(_ARTICLE)
    is_pooled = stack.pooler is not None
    for name, scenario in scenarios.items():
        yield from reconfigured_rows(
            article, scenario.column, name, scenario.configuration, is_pooled, processors
        )
        if name == "mine":
            yield from result_rows(article, name, scenario.configuration, is_pooled, processors)
    rows = list(result_rows(article, _LONG, scenarios["mine"].configuration, is_pooled, processors))
    yield from (row for row in rows if row.figure == latency("99") and {row.arm} & {*SIX, BASE_AGAIN})
    for share in _SHARES:
        for pair in (PAIRS[name] for name in SIX if name != BASE):
            yield Asked(
                name=pair.row,
                figure=latency("50"),
                arm=pair.name,
                base=BASE,
                setting=_level_name(share),
            )


def _sizes() -> Mapping[Extent, Size]:
    return {
        Extent.QUICK: Size(1, 2.0, 0.5, 1, settings=("better-async",), arms=SIX),
        Extent.DEFAULT: Size(7, 1.5, 0.5, 1, settings=_PUBLISHED, windows_s={"better-async": 2.0}),
        Extent.FULL: Size(7, 2.0, 0.6, 1, windows_s={_LONG: _LONG_S}),
    }


def _packages() -> set[str]:
    """Of pairs that have no environment of their own. A pair without its server is left out later."""
    ours = [pair for pair in PAIRS.values() if not (pair.environment or pair.program.environment)]
    return {name for pair in ours for name in (*pair.packages, *pair.program.packages)} - WITHOUT_WHEEL


def _notes(stack: Stack) -> tuple[str, ...]:
    six = ", ".join(PAIRS[name].title for name in SIX)
    return (
        f"Only six pairs are in every round, under the three settings with published figures: {six}. All "
        f"else is in the first {_FEW} rounds at most, and not ranked.",
        f"{stack.database.words}; a table of 100,000 rows, its query one row by its key and a pg_sleep.",
        "Each request opens a session with pgbouncer and closes it, as in the article: no app keeps one.",
        "nginx, pgbouncer and PostgreSQL run on any processor; the server not on the client's.",
        "The article's own settings for the original benchmark say only that its workers were variable: here "
        "they are those of its other settings. It has no delay, so nothing bounds it but the processors.",
    )
