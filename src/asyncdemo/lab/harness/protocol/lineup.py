"""Which arms are measured under what and in which order, given who is available and their capacities. Pure.

Each round shuffles the arms of each setting anew, but reproducibly from the seed, so that an interrupted run
continues in the same order.
Not here: finding out what is available (see ``preflight``), or when a round is over (see ``running``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from asyncdemo.lab.harness.protocol.attempts import Turn
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, Size
from asyncdemo.lab.harness.protocol.preflight import Visit
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import Flag
from asyncdemo.lab.results.setup import Arm, Loop, Setting

_SEARCH_FROM = 0.5
"""A share of the arm's own capacity: most budgets are met there."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """``visits`` are the findings so far about contestants; a twin may share those of its original."""

    contestants: tuple[Contestant, ...]
    conditions: tuple[Condition, ...]
    size: Size
    visits: tuple[Visit, ...]

    def arm(self, contestant: Contestant) -> Arm:
        """Return the arm as recorded, with the reason if it is unavailable."""
        gone = next((seen for seen in self._of(contestant.arm) if seen.unavailable), None)
        if gone is None:
            return contestant.arm
        return replace(contestant.arm, versions={}, unavailable=gone.unavailable, successor=gone.successor)

    def takes_part(self, contestant: Contestant) -> bool:
        return not self.arm(contestant).unavailable

    def orders(self, round_number: int) -> list[tuple[str, list[str]]]:
        """Return (setting, its arms) for each setting measured in this round."""
        return [
            (
                condition.setting.name,
                [
                    contestant.arm.name
                    for contestant in self.contestants
                    if condition.takes(contestant.arm)
                    and round_number <= (contestant.rounds or round_number)
                    and self.takes_part(contestant)
                    and self.rate_per_s(condition, contestant.arm) != 0
                ],
            )
            for condition in self.conditions
            if round_number <= (condition.rounds or round_number)
        ]

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
            return self._capacities(condition.capacity).get(arm.twin_of or arm.name, 0.0) * _SEARCH_FROM
        return self._slowest(condition) * (setting.of_capacity or 0.0)

    def no_rate(self, arm: Arm, setting: str) -> str:
        """Return why the arm isn't measured under the setting (no known capacity); "" if it is."""
        condition = next(item for item in self.conditions if item.setting.name == setting)
        if self.rate_per_s(condition, arm) != 0:
            return ""
        return next((seen.problem for seen in self._of(arm) if seen.setting == condition.capacity), "")

    def doubtful_rates(self) -> tuple[Flag, ...]:
        """Return flags for settings whose rate is a share of a capacity that was not measured reliably."""
        doubted: dict[tuple[str, ...], list[str]] = {}
        for condition in self.conditions:
            rate_is_derived = condition.setting.rate_per_s is None and condition.setting.of_capacity
            if rate_is_derived and self._slowest(condition) and (doubts := self._doubts(condition)):
                doubted.setdefault(doubts, []).append(condition.setting.title)
        return tuple(validity_checks.rate_doubtful(titles, doubts) for doubts, titles in doubted.items())

    def _doubts(self, condition: Condition) -> tuple[str, ...]:
        titles = {item.arm.name: item.arm.title for item in self.contestants if condition.takes(item.arm)}
        doubts: list[str] = []
        for seen in self.visits:
            title = titles.get(seen.arm)
            if title is None or seen.setting != condition.capacity:
                continue
            if seen.problem and not seen.capacity_per_s:
                why = seen.problem.rstrip(".")
                doubts.append(f"what {title} can do is not known ({why}), so it is the slowest of the others")
            elif seen.doubts:
                why = " ".join(flag.words for flag in seen.doubts).rstrip(".")
                doubts.append(f"both windows that measured {title} for it would be withdrawn ({why})")
        return tuple(doubts)

    def _slowest(self, condition: Condition) -> float:
        known = self._capacities(condition.capacity)
        return min(
            (
                known[contestant.arm.name]
                for contestant in self.contestants
                if condition.takes(contestant.arm) and contestant.arm.name in known
            ),
            default=0.0,
        )

    def _capacities(self, setting: str) -> Mapping[str, float]:
        return {
            seen.arm: seen.capacity_per_s
            for seen in self.visits
            if seen.setting == setting and seen.capacity_per_s
        }

    def _of(self, arm: Arm) -> Sequence[Visit]:
        return [seen for seen in self.visits if seen.arm in {arm.name, arm.twin_of}]


def with_twin(experiment: Experiment, lineup: Lineup) -> tuple[Contestant, ...]:
    """Add a twin of one available contestant, unless the experiment already has a twin."""
    contestants = lineup.contestants
    if any(contestant.arm.twin_of for contestant in contestants):
        return contestants
    wanted = experiment.twin_of or (experiment.asked[0].base if experiment.asked else "")
    there = [contestant for contestant in contestants if lineup.takes_part(contestant)]
    if not there:
        return contestants
    chosen = next((contestant for contestant in there if contestant.arm.name == wanted), there[0])
    arm = chosen.arm
    twin = replace(arm, name=f"{arm.name}-again", title=f"{arm.title}, a second time", twin_of=arm.name)
    return (*contestants, replace(chosen, arm=twin))


def poisson_seed(seed: int, round_number: int, setting: str) -> int:
    """Return the same seed for all arms of a round, so that they get the same arrivals."""
    return random.Random(f"{seed}/{round_number}/{setting}/arrivals").getrandbits(31)


_T = TypeVar("_T")

Orders = Sequence[tuple[str, Sequence[str]]]
"""(setting, its arms), in the order of the settings."""


def drawn(arms: Sequence[_T], seed: str) -> list[_T]:
    """Shuffle in an order that depends only on the seed text: the same on every machine and in every version,
    unlike hash() (PEP 456).
    """
    return random.Random(seed).sample(list(arms), len(arms))


def turns(rounds: int, orders: Callable[[int], Orders], seed: int) -> Iterator[Turn]:
    """``orders`` gives those of a round, by its number. The arms of a setting follow each other, so that what
    is compared is close in time.
    """
    for number in range(1, rounds + 1):
        place = 0
        for setting, arms in orders(number):
            for arm in drawn(arms, f"{seed}/{number}/{setting}"):
                place += 1
                yield Turn(number, place, arm, setting)
