"""The statistics of the benchmarks: pure functions of the figures measured.

All arms are measured in every round, in an order drawn anew each time, and compared round by round:
what disturbs one round disturbs all arms of it, and cancels in their ratio (paired comparison of a
randomised block design; Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013).
The figure given is the median of the rounds, which one bad round cannot move far. The range beside
it goes from the least to the most; it holds the true median with a confidence that ``coverage``
knows from the number of rounds alone, whatever the distribution (the sign test turned round;
Hollander, Wolfe and Chicken, *Nonparametric Statistical Methods*, 3rd ed., section 3.6).
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Summary", "coverage", "orders", "paired_differences", "paired_ratios"]

_Arm = TypeVar("_Arm")


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


def coverage(rounds: int) -> float:
    """The confidence with which the range of so many rounds holds the true median.

    It misses only if all rounds lie on the same side: each does with probability 1/2, so all do with
    2 * (1/2) ** rounds. Seven rounds: 98.4 %.
    """
    return max(0.0, 1 - 2 * 0.5**rounds)


def orders(arms: Sequence[_Arm], rounds: int, seed: int = 0) -> Iterator[list[_Arm]]:
    """The arms once a round, each time in a random order."""
    draw = random.Random(seed)
    for _ in range(rounds):
        yield draw.sample(list(arms), len(arms))
