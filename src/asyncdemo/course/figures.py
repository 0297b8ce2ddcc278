"""The figures of a run that a manifest can name, in the units and under the names of the JSON result.

Not for: measuring; that is ``metrics``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncdemo.metrics import Metrics

__all__ = ["FIGURES", "figure"]


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
    "throughput_per_s": lambda metrics: metrics.throughput_per_s,
    "longest_step_ms": _longest_step_ms,
    "peak_held": lambda metrics: max((use.peak_held for use in metrics.resources), default=0),
    "peak_queued": lambda metrics: max((use.peak_queued for use in metrics.resources), default=0),
}
"""Name -> the figure of one run; over several resources, the highest."""


def figure(metrics: Metrics, name: str) -> float:
    return FIGURES[name](metrics)
