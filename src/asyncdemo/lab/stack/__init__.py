"""The stack of the benchmark of twenty-one pairs: load, nginx, a server with workers, pgbouncer, PostgreSQL.

Not for: measuring it (``protocol``), or the experiment (``experiments.twenty_one_pairs``).
"""

from __future__ import annotations

from asyncdemo.lab.results.configuration import CONFIGURATIONS, Configuration, fitted
from asyncdemo.lab.stack.opened import Stack, open_stack
from asyncdemo.lab.stack.pairs import BASE, PAIRS, SIX, Pair
from asyncdemo.lab.stack.stacked import condition, contestant

__all__ = [
    "BASE",
    "CONFIGURATIONS",
    "PAIRS",
    "SIX",
    "Configuration",
    "Pair",
    "Stack",
    "condition",
    "contestant",
    "fitted",
    "open_stack",
]
