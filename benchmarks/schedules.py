"""How long it takes to try the solution of lesson 8 in many schedules, from nothing to the last outcome."""

from __future__ import annotations

import time

from asyncdemo.recording.runner import Options, Target
from asyncdemo.serving.schedules import explore
from benchmarks.processes import ROOT
from benchmarks.summary import Summary
from benchmarks.table import Row
from benchmarks.table import Target as Limit

_SOLUTION = ROOT / "lessons" / "02-structure" / "08-between-awaits" / "solution.py"


def measure_schedules(rounds: int, schedules: int) -> list[Row]:
    """It is right in each of them, so nothing is made small."""
    walls_s = []
    for _ in range(rounds):
        start_s = time.perf_counter()
        found = explore(Target(str(_SOLUTION)), Options(), schedules)
        walls_s.append(time.perf_counter() - start_s)
        if found.tried != schedules or found.differing:
            raise RuntimeError(f"{found.tried} of {schedules} schedules, {len(found.differing)} others")
    return [
        Row(
            f"`between-awaits`: its solution in {schedules} schedules",
            Summary.of(walls_s),
            lambda seconds: f"{seconds:.2f} s",
            Limit(2.0),
        )
    ]
