"""Claims: what a lesson's text says about its runs, in a form that the test suite can check.

Not here: running anything; callers pass in the measured runs.
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
    """A relation: ``metric`` of ``variant``, compared by ``op`` with ``times`` x ``value``.

    ``op`` is a key of OPERATORS, or "about": they differ by at most ``tolerance``, as a share of the value.
    ``value`` is a number, the name of a knob, or "variant.metric" of another run.
    """

    variant: str
    metric: str
    op: str
    value: float | str
    times: float = 1.0
    tolerance: float = 0.1

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that must have run before the condition can be checked."""
        other, dot, _ = self.value.partition(".") if isinstance(self.value, str) else ("", "", "")
        return (self.variant, other) if dot else (self.variant,)


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of the README, verbatim, and its condition. ``knobs``: those of the run; empty: the defaults."""

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
    """Check the condition against the runs of all variants that it names.

    ``measured`` maps variants to metrics. ``knobs`` has the values that the runs had, defaults included.
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
