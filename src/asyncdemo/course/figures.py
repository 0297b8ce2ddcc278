"""The figures of a run that a manifest can name, in the units and under the names of the JSON result.

Not for: measuring; that is ``metrics``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from asyncdemo.model import Outcome

if TYPE_CHECKING:
    from asyncdemo.metrics import FunctionUse, Metrics

__all__ = ["FIGURES", "FUNCTION_FIGURES", "figure", "mistake"]


def _longest_step_ms(metrics: Metrics) -> float:
    return metrics.longest_step.duration_ns / 1e6 if metrics.longest_step else 0.0


FIGURES: Final[dict[str, Callable[[Metrics], float]]] = {
    "wall_s": lambda metrics: metrics.wall_ns / 1e9,
    "ideal_s": lambda metrics: metrics.ideal_ns / 1e9,
    "lanes": lambda metrics: metrics.lanes,
    "peak": lambda metrics: metrics.peak,
    "open": lambda metrics: metrics.open,
    "steps": lambda metrics: metrics.steps,
    "running_s": lambda metrics: metrics.running_ns / 1e9,
    "ready_s": lambda metrics: metrics.ready_ns / 1e9,
    "waiting_s": lambda metrics: metrics.waiting_ns / 1e9,
    "queued_s": lambda metrics: metrics.queued_ns / 1e9,
    "blocked_s": lambda metrics: metrics.blocked_ns / 1e9,
    "blocks": lambda metrics: metrics.blocks,
    "throughput_per_s": lambda metrics: metrics.throughput_per_s,
    "longest_step_ms": _longest_step_ms,
    "peak_held": lambda metrics: max((use.peak_held for use in metrics.resources), default=0),
    "peak_queued": lambda metrics: max((use.peak_queued for use in metrics.resources), default=0),
    "depth": lambda metrics: metrics.depth,
    "returned": lambda metrics: metrics.outcomes.get(Outcome.RETURNED, 0),
    "raised": lambda metrics: metrics.outcomes.get(Outcome.RAISED, 0),
    "cancelled": lambda metrics: metrics.outcomes.get(Outcome.CANCELLED, 0),
    "still_open": lambda metrics: metrics.outcomes.get(Outcome.OPEN, 0),
    "unawaited": lambda metrics: metrics.unawaited,
    "left_pending": lambda metrics: metrics.left_pending,
}
"""Name -> the figure of one run; over several resources, the highest."""

FUNCTION_FIGURES: Final[dict[str, Callable[[FunctionUse], float]]] = {
    "calls": lambda use: use.calls,
    "peak": lambda use: use.peak,
    "open": lambda use: use.open,
    "gap_ms": lambda use: use.gap_ns / 1e6,
    "longest_ms": lambda use: use.longest_ns / 1e6,
    "shortest_ms": lambda use: use.shortest_ns / 1e6,
    "returned": lambda use: use.outcomes.get(Outcome.RETURNED, 0),
    "raised": lambda use: use.outcomes.get(Outcome.RAISED, 0),
    "cancelled": lambda use: use.outcomes.get(Outcome.CANCELLED, 0),
}
"""Name -> the figure of the calls of one function, written ``NAME(function)``: ``gap_ms(heartbeat)``."""


def figure(metrics: Metrics, name: str) -> float:
    """The figure of that name. Raises KeyError if there is none; a function never called has zeros."""
    from asyncdemo.metrics import FunctionUse

    parts = _parts(name)
    if parts is None:
        return FIGURES[name](metrics)
    kind, function = parts
    return FUNCTION_FIGURES[kind](metrics.functions.get(function, FunctionUse()))


def mistake(name: str, functions: Sequence[str]) -> str:
    """What is wrong with a name, in words that go on after it; "" if it is one.

    functions: those whose calls are recorded.
    """
    parts = _parts(name)
    if parts is None:
        if name in FIGURES:
            return ""
        of_functions = ", ".join(f"{kind}(FUNCTION)" for kind in FUNCTION_FIGURES)
        return f"must be one of {', '.join(FIGURES)}, {of_functions}, not {name!r}"
    kind, function = parts
    if kind not in FUNCTION_FIGURES:
        return f"must be one of {', '.join(FUNCTION_FIGURES)} if it is of a function, not {kind!r}"
    if function not in functions:
        return (
            f"is of {function!r}, which is not one of the lanes ({', '.join(functions) or 'there are none'})"
        )
    return ""


def _parts(name: str) -> tuple[str, str] | None:
    """("gap_ms", "heartbeat") of ``gap_ms(heartbeat)``; None if it is of no function."""
    match = re.fullmatch(r"(\w+)\((\w+)\)", name)
    return (match[1], match[2]) if match else None
