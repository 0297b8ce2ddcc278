"""A ratio measured in rounds, with a distribution-free interval, and the verdict on a published ratio.

All arms run in every round, so whatever disturbs a round affects both sides of its ratio and cancels out (a
randomised block design; Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013). The
interval consists of order statistics: it misses the true median only if too many rounds lie on one side, and
each does so with probability 1/2, whatever the distribution (Hollander, Wolfe and Chicken, *Nonparametric
Statistical Methods*, 3rd ed., section 3.6). From least to most of seven: 1 − 2/2⁷ = 98.4 %.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

NEAR: Final = 1.25
"""A measured ratio within this factor of the published one reproduces it."""
_ENOUGH: Final = 0.95
"""Confidence: with many rounds, the outermost ones are left out as long as it stays this high."""
FEWEST: Final = 6
"""Rounds for an interval with that confidence: from least to most of five has only 93.75 %."""


class Reproduction(StrEnum):
    REPRODUCED = "reproduced"
    DIRECTION_ONLY = "direction only"
    UNDECIDED = "undecided"
    NOT_REPRODUCED = "not reproduced"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Ratio:
    """``pairs`` are in the order of the rounds. ``least`` to ``most`` is the interval, which contains the
    true median with the confidence ``coverage``.
    """

    pairs: tuple[float, ...]
    median: float
    least: float
    most: float
    coverage: float

    def __post_init__(self) -> None:
        median, least, most, covered = _summary(self.pairs)
        shown = (self.median, self.least, self.most, self.coverage)
        if not all(map(_same, shown, (median, least, most, covered))):
            raise ValueError(
                f"of these pairs the median is {median:.6g}, "
                f"and the interval {least:.6g} to {most:.6g} with {covered:.4f}"
            )

    @classmethod
    def of(cls, pairs: Sequence[float]) -> Self:
        """Raises ValueError if there are none, or one is not above 0."""
        return cls(tuple(pairs), *_summary(pairs))

    @property
    def holds_one(self) -> bool:
        """Whether the interval contains 1, so that no ranking may be claimed."""
        return self.least <= 1 <= self.most

    @property
    def rests_on_few(self) -> bool:
        """Whether there are so few rounds that the confidence is below 95 %."""
        return self.coverage < _ENOUGH


def coverage(rounds: int, left_out: int = 0) -> float:
    """Return the interval's confidence if ``left_out`` rounds are left out at each end."""
    tail = sum(math.comb(rounds, below) for below in range(left_out + 1))
    return max(0.0, 1 - math.ldexp(tail, 1 - rounds))


def verdict(published: float, measured: Ratio | None) -> Reproduction:
    """Judge a ratio; ``measured`` is None if the figure is refused.

    Reproduced: on the same side of 1, and the median within ``NEAR`` of the published ratio. A published
    ratio within 5 % of 1 says "no difference": reproduced if the interval is within ``NEAR`` of 1 and
    contains it, or lies within those 5 %. Direction only: the same side, but another size. Undecided: none of
    these, but the interval contains the published ratio. Otherwise, not reproduced.
    """
    if measured is None:
        return Reproduction.REFUSED
    missed = (
        Reproduction.UNDECIDED
        if measured.least <= published <= measured.most
        else Reproduction.NOT_REPRODUCED
    )
    near = 1 / NEAR <= measured.median / published <= NEAR
    if _is_equal(published):
        same = _is_equal(measured.least) and _is_equal(measured.most)
        narrow = measured.least >= 1 / NEAR and measured.most <= NEAR
        return Reproduction.REPRODUCED if same or (measured.holds_one and narrow) else missed
    if measured.holds_one or (measured.median > 1) != (published > 1):
        return missed
    return Reproduction.REPRODUCED if near else Reproduction.DIRECTION_ONLY


def _is_equal(ratio: float) -> bool:
    return 1 / 1.05 <= ratio <= 1.05


def _summary(pairs: Sequence[float]) -> tuple[float, float, float, float]:
    if not pairs or not all(pair > 0 for pair in pairs):
        raise ValueError("a ratio needs at least one pair, and each of them above 0")
    ordered = sorted(pairs)
    left_out = 0
    while 2 * (left_out + 1) < len(ordered) and coverage(len(ordered), left_out + 1) >= _ENOUGH:
        left_out += 1
    covered = coverage(len(ordered), left_out)
    return statistics.median(ordered), ordered[left_out], ordered[-1 - left_out], covered


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
