"""How an experiment is measured: verified, calibrated, warmed up, in rounds of random order, and compared.

Not for: servers (``launching``), the load (``engines``), or how any of it is shown.
"""

from asyncdemo.lab.harness.protocol.description import (
    Asked,
    Check,
    Condition,
    Contestant,
    Count,
    Experiment,
    Knob,
    Scene,
    Seen,
    Size,
    When,
)
from asyncdemo.lab.harness.protocol.running import Progress, Stage, run
from asyncdemo.lab.results.comparison import MEAN_LATENCY, THROUGHPUT, Figure, latency

__all__ = [
    "MEAN_LATENCY",
    "THROUGHPUT",
    "Asked",
    "Check",
    "Condition",
    "Contestant",
    "Count",
    "Experiment",
    "Figure",
    "Knob",
    "Progress",
    "Scene",
    "Seen",
    "Size",
    "Stage",
    "When",
    "latency",
    "run",
]
