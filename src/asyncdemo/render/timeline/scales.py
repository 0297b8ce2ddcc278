"""Positions of values on an axis, in percent, and which values get a line: linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_ROOM: Final = 0.04
"""Share of the width beside the outermost value: a mark has a size."""
_LINES: Final = 4
_WIDE: Final = 30.0
"""Ratio of highest to lowest from which lines at powers of ten are enough."""
_NARROW: Final = 3.0
"""Ratio below which a logarithmic axis has even steps."""


@dataclass(frozen=True, slots=True)
class Scale:
    low: float
    high: float
    logarithmic: bool

    @classmethod
    def around(cls, values: Iterable[float], *, logarithmic: bool) -> Self:
        """Create an axis for all values, and 0 if it is linear. Raises ValueError if one has no logarithm."""
        shown = list(values)
        if not logarithmic:
            return cls(0.0, max(shown) * (1 + _ROOM) or 1.0, logarithmic=False)
        if min(shown) <= 0:
            raise ValueError(f"{min(shown)} has no place on a logarithmic axis")
        low, high = math.log(min(shown)), math.log(max(shown))
        room = max((high - low) * _ROOM, 0.02)
        return cls(math.exp(low - room), math.exp(high + room), logarithmic=True)

    def percent(self, value: float) -> float:
        """Return a position from 0 at the left to 100 at the right."""
        if self.logarithmic:
            return 100 * math.log(value / self.low) / math.log(self.high / self.low)
        return 100 * (value - self.low) / (self.high - self.low)

    @property
    def lines(self) -> tuple[float, ...]:
        """Round values on the axis, in order."""
        if not self.logarithmic or self.high / self.low < _NARROW:
            step = _round_step((self.high - self.low) / _LINES)
            return tuple(
                round(place * step, 10)
                for place in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)
            )
        factors = (1,) if self.high / self.low > _WIDE else (1, 2, 5)
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        values = (factor * 10.0**decade for decade in decades for factor in factors)
        return tuple(value for value in values if self.low <= value <= self.high)


def _round_step(least: float) -> float:
    decade: float = 10.0 ** math.floor(math.log10(least))
    return next(step * decade for step in _STEPS if step * decade >= least * (1 - 1e-9))
