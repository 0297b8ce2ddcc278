"""The statistics of the benchmarks: pure functions of the figures measured.

All arms are measured in every round, in a newly drawn order each time, and compared round by round:
what disturbs one round disturbs all arms of it, and cancels in their ratio (paired comparison of a
randomised block design; Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013).
The figure given is the median of the rounds, which one bad round cannot move far. The range beside
it goes from the least to the most; it holds the true median with a confidence that the number of rounds
alone says, whatever the distribution (``asyncdemo.lab.results.ratio.coverage``).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from asyncdemo.lab.harness.protocol.lineup import drawn

_Arm = TypeVar("_Arm")
_Figure = TypeVar("_Figure")


@dataclass(frozen=True, slots=True)
class Summary:
    """The median of some rounds, and how far they lie apart."""

    median: float
    least: float
    most: float
    rounds: int

    @classmethod
    def of(cls, figures: Sequence[float]) -> Summary:
        """Raises ValueError if there are none."""
        if not figures:
            raise ValueError("nothing was measured")
        return cls(statistics.median(figures), min(figures), max(figures), len(figures))


def paired_ratios(arm: Sequence[float], base: Sequence[float]) -> list[float]:
    """How many times the base the arm took, round by round. Raises ValueError if rounds are missing."""
    return [a / b for a, b in zip(arm, base, strict=True)]


def paired_differences(arm: Sequence[float], base: Sequence[float]) -> list[float]:
    """How much more than the base the arm took, round by round. Raises ValueError if rounds are missing."""
    return [a - b for a, b in zip(arm, base, strict=True)]


def orders(arms: Sequence[_Arm], rounds: int, seed: int = 0) -> Iterator[list[_Arm]]:
    """The arms once a round, each time in a random order."""
    return (drawn(arms, f"{seed}/{number}") for number in range(rounds))


def in_rounds(arms: Mapping[_Arm, Callable[[], _Figure]], rounds: int) -> dict[_Arm, list[_Figure]]:
    """What each came to, round by round."""
    figures: dict[_Arm, list[_Figure]] = {arm: [] for arm in arms}
    for order in orders([*arms], rounds):
        for arm in order:
            figures[arm].append(arms[arm]())
    return figures
