"""The highest rate that keeps a budget, by bisection: asked for the next rate, told how it went.

Each rate that passes is higher than the one that passed before, so the last that passed is the result.
Not for: what passes (``validity_checks``).
"""

from __future__ import annotations

__all__ = ["Search"]


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
