"""Claims: what a lesson's text says about its runs, in a form that the suite can check.

Not for: running anything; the measured runs are given.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from asyncdemo.course.content.figures import figure
from asyncdemo.course.content.manifest import Knobs

if TYPE_CHECKING:
    from asyncdemo.analysis.metrics import Metrics

OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
ABOUT: Final = "about"


@dataclass(frozen=True, slots=True)
class Condition:
    """``metric`` of ``variant`` stands in the relation ``op`` to ``times`` x ``value``.

    op: a key of OPERATORS, or "about": apart by at most ``tolerance`` as a share of the value.
    value: a number, the name of a knob, or "variant.metric" of another run.
    """

    variant: str
    metric: str
    op: str
    value: float | str
    times: float = 1.0
    tolerance: float = 0.1

    @property
    def variants(self) -> tuple[str, ...]:
        """Those that must have run before it can be judged."""
        other, dot, _ = self.value.partition(".") if isinstance(self.value, str) else ("", "", "")
        return (self.variant, other) if dot else (self.variant,)


@dataclass(frozen=True, slots=True)
class Claim:
    """text: a part of the README, verbatim. knobs: what the run must be given; default values if empty."""

    text: str
    condition: Condition
    knobs: Knobs = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a condition holds, and the two numbers that were compared."""

    holds: bool
    measured: float
    expected: float


def check(condition: Condition, measured: Mapping[str, Metrics], knobs: Knobs) -> Verdict:
    """The condition, judged on the runs of all variants that it names.

    measured: variant -> its metrics. knobs: the values that the runs had, defaults included.
    """
    actual = figure(measured[condition.variant], condition.metric)
    expected = condition.times * _value(condition.value, measured, knobs)
    if condition.op == ABOUT:
        holds = math.isclose(actual, expected, rel_tol=0, abs_tol=condition.tolerance * abs(expected))
    else:
        holds = OPERATORS[condition.op](actual, expected)
    return Verdict(holds, actual, expected)


def _value(value: float | str, measured: Mapping[str, Metrics], knobs: Knobs) -> float:
    if not isinstance(value, str):
        return value
    variant, dot, metric = value.partition(".")
    return figure(measured[variant], metric) if dot else float(knobs[value])
