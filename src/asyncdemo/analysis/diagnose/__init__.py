"""Findings: what the author of a run's script may want to change, with advice.

Pure functions of a ``Run``. A finding is only made if it is certain, so an empty result is the normal
case.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from asyncdemo.analysis.diagnose.awaiting import left_pending, never_awaited, sequential_awaits
from asyncdemo.analysis.diagnose.blocking import blocks_the_loop, gil_held_elsewhere
from asyncdemo.analysis.diagnose.deadlock import deadlocks, where_they_wait
from asyncdemo.analysis.diagnose.finding import Detector, Finding
from asyncdemo.analysis.diagnose.holding import held_while_acquiring, leaked_connections
from asyncdemo.analysis.diagnose.limiting import (
    idle_limits,
    limits_per_call,
    saturated_executors,
    unbounded_fan_out,
)
from asyncdemo.analysis.diagnose.mistakes import mistakes
from asyncdemo.analysis.diagnose.pooling import (
    pools_per_call,
    refused_by_pool,
    reopened_connections,
    small_pools,
)
from asyncdemo.model import Run

__all__ = [
    "DETECTORS",
    "Detector",
    "Finding",
    "deadlocks",
    "diagnose",
    "limits_per_call",
    "mistakes",
    "where_they_wait",
]


DETECTORS: Final[tuple[Detector, ...]] = (
    mistakes,
    deadlocks,
    blocks_the_loop,
    gil_held_elsewhere,
    never_awaited,
    left_pending,
    held_while_acquiring,
    leaked_connections,
    refused_by_pool,
    sequential_awaits,
    unbounded_fan_out,
    pools_per_call,
    limits_per_call,
    small_pools,
    saturated_executors,
    idle_limits,
    reopened_connections,
)
"""What finds the most serious kind comes first."""


def diagnose(run: Run) -> tuple[Finding, ...]:
    """Return all findings, the most serious kind first."""
    return tuple(chain.from_iterable(detector(run) for detector in DETECTORS))
