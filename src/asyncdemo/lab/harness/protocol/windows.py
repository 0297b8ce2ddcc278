"""How many windows there are: short ones until two in a row agree, or one for each step of a search.

Not for: what a window is (the caller measures it), or what passes (``validity_checks``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from asyncdemo.lab.results.setup import Loop
from asyncdemo.lab.results.trial import Load

NEAR: Final = {Loop.CLOSED: 0.05, Loop.OPEN: 0.10}
"""How far two windows may be apart: of a closed loop the throughput; of an open one, whose throughput is
given, the median latency, which varies more."""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """figures: of each window. agreed: the last two did; else there were no more windows to try."""

    figures: tuple[float, ...]
    agreed: bool


def warm_up(window: Callable[[], float], most: int, near: float) -> WarmUp:
    """window: measures one, and gives its figure."""
    figures: list[float] = []
    while len(figures) < most:
        figures.append(window())
        if len(figures) > 1 and agree(figures[-2], figures[-1], near):
            return WarmUp(tuple(figures), True)
    return WarmUp(tuple(figures), False)


def agree(one: float, other: float, near: float) -> bool:
    """Two windows without an answer do not: there is nothing yet to agree on."""
    return max(one, other) > 0 and abs(one - other) <= near * max(one, other)


def settled(load: Load, loop: Loop) -> float:
    """The figure of a window that must have settled; 0 if nothing was answered.

    A median needs fewer samples here than to be quoted, so with too few for that the mean stands in.
    """
    if loop is Loop.CLOSED:
        return load.throughput_per_s
    return load.latency_ms.get("50", load.latency_ms.get("mean", 0.0))


class Search:
    def __init__(self, start_per_s: float, near: float = 0.05, most: int = 12) -> None:
        """near: it ends when the best rate is so close to one that failed. most: steps."""
        if not (start_per_s > 0 and near > 0 and most > 0):
            raise ValueError("a search needs a rate, a nearness and a number of steps above 0")
        self._rate = start_per_s
        self._near, self._most = near, most
        self._failed: float | None = None
        self._steps = 0
        self.best_per_s: float | None = None

    def next_rate(self) -> float | None:
        """None once it is over."""
        best, failed = self.best_per_s, self._failed
        if self._steps >= self._most or (best and failed and failed / best <= 1 + self._near):
            return None
        return self._rate

    def tell(self, passed: bool) -> None:
        """Of the rate that was asked for last."""
        self._steps += 1
        if passed:
            self.best_per_s = self._rate
        else:
            self._failed = self._rate
        if self._failed is None:
            self._rate *= 2
        elif self.best_per_s is None:
            self._rate /= 2
        else:
            # geometric: the same share of the rate in either direction
            self._rate = (self.best_per_s * self._failed) ** 0.5
