"""Findings: what the author of a run's script may want to change, with advice.

Pure functions of a ``Run``. A finding is only made if it is certain, so an empty result is the normal
case. Not here: figures (see ``metrics``), showing findings (``render``).
"""

from __future__ import annotations

from asyncdemo.analysis.diagnose.awaiting import left_pending, never_awaited, sequential_awaits
from asyncdemo.analysis.diagnose.blocking import blocks_the_loop, gil_held_elsewhere
from asyncdemo.analysis.diagnose.deadlock import deadlocks, where_they_wait
from asyncdemo.analysis.diagnose.finding import Finding, FindingKind
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
    "Finding",
    "FindingKind",
    "deadlocks",
    "diagnose",
    "limits_per_call",
    "mistakes",
    "where_they_wait",
]


def diagnose(run: Run) -> tuple[Finding, ...]:
    """Return all findings, the most serious kind first."""
    return (
        *mistakes(run),
        *deadlocks(run),
        *blocks_the_loop(run),
        *gil_held_elsewhere(run),
        *never_awaited(run),
        *left_pending(run),
        *held_while_acquiring(run),
        *leaked_connections(run),
        *refused_by_pool(run),
        *sequential_awaits(run),
        *unbounded_fan_out(run),
        *pools_per_call(run),
        *limits_per_call(run),
        *small_pools(run),
        *saturated_executors(run),
        *idle_limits(run),
        *reopened_connections(run),
    )
