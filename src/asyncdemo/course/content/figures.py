"""The figures of a run that a manifest can name, with the units and names of the JSON result."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from asyncdemo.analysis.metrics import PLAIN_FIGURES, FunctionUse, Metrics, PlainFigure, RequestUse
from asyncdemo.model import Outcome, ResourceKind

REQUEST_FIGURES: Final[dict[str, Callable[[RequestUse], float]]] = {
    "requests": lambda use: use.count,
    "answered": lambda use: use.answered,
    "failed": lambda use: use.failed,
    "p50_ms": lambda use: use.p50_ns / 1e6,
    "p90_ms": lambda use: use.p90_ns / 1e6,
    "p99_ms": lambda use: use.p99_ns / 1e6,
    "slowest_ms": lambda use: use.slowest_ns / 1e6,
    "requests_wall_s": lambda use: use.wall_ns / 1e9,
    "requests_per_s": lambda use: use.per_s,
}
"""Figures of the requests to a server: of all, or of those to one path, ``p99_ms(/upload)``."""


def _of_all_requests(name: str) -> Callable[[Metrics], float]:
    return lambda metrics: REQUEST_FIGURES[name](metrics.requests)


def _of_the_run(plain: PlainFigure) -> Callable[[Metrics], float]:
    def value(metrics: Metrics) -> float:
        found = plain.value(metrics)
        return math.nan if found is None else found

    return value


FIGURES: Final[dict[str, Callable[[Metrics], float]]] = {
    **{plain.name: _of_the_run(plain) for plain in PLAIN_FIGURES},
    "longest_step_ms": lambda metrics: (
        metrics.longest_step.duration_ns / 1e6 if metrics.longest_step else 0.0
    ),
    "peak_held": lambda metrics: max((use.peak_held for use in metrics.resources), default=0),
    "peak_queued": lambda metrics: max((use.peak_queued for use in metrics.resources), default=0),
    "returned": lambda metrics: metrics.outcomes.get(Outcome.RETURNED, 0),
    "raised": lambda metrics: metrics.outcomes.get(Outcome.RAISED, 0),
    "cancelled": lambda metrics: metrics.outcomes.get(Outcome.CANCELLED, 0),
    "still_open": lambda metrics: metrics.outcomes.get(Outcome.OPEN, 0),
    **{name: _of_all_requests(name) for name in REQUEST_FIGURES},
    "resident_mb": lambda metrics: metrics.memory.resident_growth_bytes / 1e6,
    "virtual_mb": lambda metrics: metrics.memory.virtual_growth_bytes / 1e6,
    "pools": lambda metrics: sum(use.resource.kind is ResourceKind.POOL for use in metrics.resources),
    "connections": lambda metrics: sum(len(use.resource.connections) for use in metrics.resources),
}
"""Figures of one run: the numbers in ``Metrics``, and others; over several resources, the highest."""

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
"""Figures of the calls of one function, written ``NAME(function)``: ``gap_ms(heartbeat)``."""


def figure(metrics: Metrics, name: str) -> float:
    """Return the figure with this name. Raises KeyError if there is none.

    The figures of a function that is never called are 0, as are those of a path that gets no requests.
    """
    parts = _parts(name)
    if parts is None:
        return FIGURES[name](metrics)
    kind, whose = parts
    if whose.startswith("/"):
        return REQUEST_FIGURES[kind](metrics.paths.get(whose, RequestUse()))
    return FUNCTION_FIGURES[kind](metrics.functions.get(whose, FunctionUse()))


def mistake(name: str, functions: Sequence[str], paths: Sequence[str] = ()) -> str:
    """Return what is wrong with a figure's name, as the end of a sentence; "" if it is valid.

    ``functions`` are those whose calls are recorded, ``paths`` those that get requests.
    """
    kind, whose = _parts(name) or (name, "")
    kinds: Collection[str] = FIGURES
    known: Sequence[str] = ("",)
    if whose:
        kinds = REQUEST_FIGURES if whose.startswith("/") else FUNCTION_FIGURES
        known = paths if whose.startswith("/") else functions
    if kind not in kinds:
        return f"must be one of {', '.join(kinds)}, not {kind!r}"
    if whose not in known:
        return f"is of {whose!r}, and not of {' or '.join(known) or 'anything that is known'}"
    return ""


def _parts(name: str) -> tuple[str, str] | None:
    """Return ("gap_ms", "heartbeat") for ``gap_ms(heartbeat)``; None without parentheses."""
    match = re.fullmatch(r"(\w+)\((\w+|/[!-~]*)\)", name)
    return (match[1], match[2]) if match else None
