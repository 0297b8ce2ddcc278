"""Warming up: short windows, until two in a row agree.

Not for: deciding what a window is (the caller measures it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from asyncdemo.lab.results.setup import Loop
from asyncdemo.lab.results.trial import Load

__all__ = ["NEAR", "WarmUp", "agree", "settled", "warm_up"]

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
