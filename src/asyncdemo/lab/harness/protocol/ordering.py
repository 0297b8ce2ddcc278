"""In which order a round takes its arms: drawn anew for each setting of each round, and again the same from
the same seed, so that a run that was ended goes on as it would have gone.

Not for: when a round is over (``running``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")

Orders = Sequence[tuple[str, Sequence[str]]]
"""(setting, its arms), in the order of the settings."""


class Turn(NamedTuple):
    """round, place: from 1."""

    round: int
    place: int
    arm: str
    setting: str


def drawn(arms: Sequence[_T], seed: str) -> list[_T]:
    """In an order that is of the text: the same on every machine and in every version, as no hash() is
    (PEP 456).
    """
    return random.Random(seed).sample(list(arms), len(arms))


def turns(rounds: int, orders: Callable[[int], Orders], seed: int) -> Iterator[Turn]:
    """orders: of a round, by its number. The arms of a setting follow each other, so that what is compared is
    close in time."""
    for number in range(1, rounds + 1):
        place = 0
        for setting, arms in orders(number):
            for arm in drawn(arms, f"{seed}/{number}/{setting}"):
                place += 1
                yield Turn(number, place, arm, setting)
