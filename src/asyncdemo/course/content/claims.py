"""Claims: what a lesson's text says about its runs, in a form that the test suite can check."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from asyncdemo.course.content.figures import figure
from asyncdemo.course.content.manifest import Knobs, Value

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
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_CONDITION: Final = re.compile(
    rf"(?:(?P<variant>[\w-]+)\.(?P<metric>\S+) )?(?P<op>==|<=|>=|<|>|{ABOUT}) (?:(?P<times>{_NUMBER}) \* )?"
    rf"(?P<value>\S+)(?: within (?P<percent>{_NUMBER})%)?"
    rf"(?: with (?P<knobs>\w+={_NUMBER}(?:, \w+={_NUMBER})*))?"
)


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
class ClaimResult:
    """Whether a condition holds, and the two numbers that were compared."""

    holds: bool
    measured: float
    expected: float


def parse_claim(text: str, words: str) -> Claim:
    """Read a claim such as "awaited.wall_s < 0.2 * blocking.wall_s with BREWS=20".

    After the figure and the operator comes a number, a knob, or a figure of another variant. "about" allows a
    difference of 10 %, or of what follows: "within 5%". Raises ValueError.
    """
    found = _CONDITION.fullmatch(words)
    if found is None or found["variant"] is None:
        raise ValueError(
            f"must be VARIANT.FIGURE OPERATOR VALUE, as in 'slow.wall_s about 4 * BREW_S', not {words!r}"
        )
    pairs = [pair.partition("=") for pair in (found["knobs"] or "").split(", ") if pair]
    knobs: dict[str, Value] = {name: _number(value) for name, _, value in pairs}
    return Claim(text, _condition(found, found["variant"], found["metric"]), knobs)


def parse_condition(words: str, variant: str, metric: str) -> Condition:
    """Read the condition of a choice, as in a claim but for the figure, which is given. Raises ValueError."""
    found = _CONDITION.fullmatch(words)
    if found is None or found["variant"] is not None or found["knobs"]:
        raise ValueError(f"must be OPERATOR VALUE, as in '>= 4', not {words!r}")
    return _condition(found, variant, metric)


def _condition(found: re.Match[str], variant: str, metric: str) -> Condition:
    return Condition(
        variant=variant,
        metric=metric,
        op=found["op"],
        value=_number(found["value"]) if re.fullmatch(_NUMBER, found["value"]) else found["value"],
        times=float(found["times"] or 1),
        tolerance=float(found["percent"] or 10) / 100,
    )


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def check(condition: Condition, measured: Mapping[str, Metrics], knobs: Knobs) -> ClaimResult:
    """Check the condition against the runs of all variants that it names.

    ``measured`` maps variants to metrics. ``knobs`` has the values that the runs had, defaults included.
    """
    actual = figure(measured[condition.variant], condition.metric)
    expected = condition.times * _value(condition.value, measured, knobs)
    if condition.op == ABOUT:
        holds = math.isclose(actual, expected, rel_tol=0, abs_tol=condition.tolerance * abs(expected))
    else:
        holds = OPERATORS[condition.op](actual, expected)
    return ClaimResult(holds, actual, expected)


def _value(value: float | str, measured: Mapping[str, Metrics], knobs: Knobs) -> float:
    if not isinstance(value, str):
        return value
    variant, dot, metric = value.partition(".")
    return figure(measured[variant], metric) if dot else float(knobs[value])
