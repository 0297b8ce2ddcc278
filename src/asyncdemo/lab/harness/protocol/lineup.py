"""Which arms are measured under what and in which order, given who is available and their capacities. Pure.

Each round shuffles the arms of each setting again, but reproducibly from the seed, so that an interrupted run
continues in the same order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, Size
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import Flag
from asyncdemo.lab.results.setup import Arm, Loop, Setting, Verification

_SEARCH_FROM = 0.5
"""A share of the arm's own capacity: most budgets are met there."""


class Turn(NamedTuple):
    """The first fields of a trial: ``round`` and ``place`` count from 1."""

    round: int
    place: int
    arm: str
    setting: str


@dataclass(frozen=True, slots=True)
class Visit:
    """What was found out beforehand. ``capacity_per_s`` is set if it was needed; ``doubts`` would invalidate
    it as a figure. ``problem`` prevented the checks. ``unavailable`` and ``successor`` are those of the arm.
    """

    arm: str
    setting: str
    verifications: tuple[Verification, ...] = ()
    capacity_per_s: float | None = None
    doubts: tuple[Flag, ...] = ()
    problem: str = ""
    unavailable: str = ""
    successor: str = ""


@dataclass(frozen=True)
class Lineup:
    """``visits`` are the findings so far; a twin shares those of its original."""

    experiment: Experiment
    size: Size
    visits: Sequence[Visit] = ()

    @cached_property
    def contestants(self) -> tuple[Contestant, ...]:
        """Those of the experiment, with a twin of an available one, unless it already has a twin."""
        experiment = self.experiment
        there = [item for item in experiment.contestants if self.takes_part(item.arm)]
        if not there or any(item.arm.twin_of for item in experiment.contestants):
            return experiment.contestants
        wanted = experiment.twin_of or (experiment.rows[0].base if experiment.rows else "")
        chosen = next((item for item in there if item.arm.name == wanted), there[0])
        arm = chosen.arm
        twin = replace(arm, name=f"{arm.name}-again", title=f"{arm.title}, a second time", twin_of=arm.name)
        return (*experiment.contestants, replace(chosen, arm=twin))

    def contestant(self, arm: str) -> Contestant:
        return next(item for item in self.contestants if item.arm.name == arm)

    def condition(self, setting: str) -> Condition:
        return next(item for item in self.experiment.conditions if item.setting.name == setting)

    def visits_of(self, arm: Arm) -> list[Visit]:
        return [seen for seen in self.visits if seen.arm in {arm.name, arm.twin_of}]

    def arm(self, arm: Arm) -> Arm:
        """Return the arm as recorded, with the reason if it is unavailable."""
        gone = next((seen for seen in self.visits_of(arm) if seen.unavailable), None)
        if gone is None:
            return arm
        return replace(arm, versions={}, unavailable=gone.unavailable, successor=gone.successor)

    def takes_part(self, arm: Arm) -> bool:
        return not self.arm(arm).unavailable

    def turns(self, seed: int) -> Iterator[Turn]:
        """Yield all of them. The arms of a setting follow each other, so that what is compared is close in
        time.
        """
        for number in range(1, self.size.rounds + 1):
            place = 0
            for condition in self.experiment.conditions:
                setting = condition.setting.name
                arms = [
                    item.arm.name
                    for item in self.contestants
                    if number <= min(condition.rounds or number, item.rounds or number)
                    and condition.takes(item.arm)
                    and self.takes_part(item.arm)
                    and self.rate_per_s(condition, item.arm) != 0
                ]
                for arm in drawn(arms, f"{seed}/{number}/{setting}"):
                    place += 1
                    yield Turn(number, place, arm, setting)

    # -- rates ----------------------------------------------------------------------------------------

    def needs_capacity(self, condition: Condition) -> bool:
        return any(item.capacity == condition.setting.name for item in self.experiment.conditions)

    def setting(self, condition: Condition) -> Setting:
        described = condition.described(self.size)
        if described.of_capacity is not None and described.rate_per_s is None:
            return replace(described, rate_per_s=self._slowest(condition) * described.of_capacity or None)
        return described

    def rate_per_s(self, condition: Condition, arm: Arm) -> float | None:
        """Return an open loop's rate, or the start of its search; None: closed loop. 0: no known capacity."""
        setting = condition.setting
        if setting.loop is Loop.CLOSED or setting.rate_per_s is not None:
            return setting.rate_per_s
        if setting.budget_ms is not None:
            return self._capacities(condition).get(arm.twin_of or arm.name, 0.0) * _SEARCH_FROM
        return self._slowest(condition) * (setting.of_capacity or 0.0)

    def no_rate(self, arm: Arm, setting: str) -> str:
        """Return why the arm isn't measured under the setting (no known capacity); "" if it is."""
        condition = self.condition(setting)
        if self.rate_per_s(condition, arm) != 0:
            return ""
        return next((seen.problem for seen in self.visits_of(arm) if seen.setting == condition.capacity), "")

    def doubtful_rates(self) -> tuple[Flag, ...]:
        """Return flags for settings whose rate is a share of a capacity that was not measured reliably."""
        doubted: dict[tuple[str, ...], list[str]] = {}
        for condition in self.experiment.conditions:
            setting = condition.setting
            if setting.of_capacity and setting.rate_per_s is None and self._slowest(condition):
                doubted.setdefault(tuple(self._doubts(condition)), []).append(setting.title)
        doubted.pop((), None)
        return tuple(validity_checks.rate_doubtful(titles, doubts) for doubts, titles in doubted.items())

    def _doubts(self, condition: Condition) -> Iterator[str]:
        titles = {item.arm.name: item.arm.title for item in self.contestants if condition.takes(item.arm)}
        for seen in self.visits:
            if seen.arm in titles and seen.setting == condition.capacity:
                problem = "" if seen.capacity_per_s else seen.problem
                if why := problem or " ".join(flag.words for flag in seen.doubts):
                    yield f"what {titles[seen.arm]} can do is in doubt ({why.rstrip('.')})"

    def _slowest(self, condition: Condition) -> float:
        known = self._capacities(condition)
        taking = {item.arm.name for item in self.experiment.contestants if condition.takes(item.arm)}
        return min((known[arm] for arm in known.keys() & taking), default=0.0)

    def _capacities(self, condition: Condition) -> Mapping[str, float]:
        return {
            seen.arm: seen.capacity_per_s
            for seen in self.visits
            if seen.setting == condition.capacity and seen.capacity_per_s
        }


def poisson_seed(seed: int, turn: Turn) -> int:
    """Return the same seed for all arms of a round, so that they get the same arrivals."""
    return random.Random(f"{seed}/{turn.round}/{turn.setting}/arrivals").getrandbits(31)


_T = TypeVar("_T")


def drawn(arms: Sequence[_T], seed: str) -> list[_T]:
    """Shuffle in an order that depends only on the seed text: the same on every machine and in every version,
    unlike hash() (PEP 456).
    """
    return random.Random(seed).sample(list(arms), len(arms))
