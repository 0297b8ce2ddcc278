"""How long a command takes that only says something, against the import it cannot do without."""

from __future__ import annotations

import time
from collections import defaultdict

from benchmarks.processes import PYTHON, on_terminal
from benchmarks.summary import Summary, orders, paired_ratios
from benchmarks.table import Row, Target

__all__ = ["measure_startup"]

_BASE = "import rich.console"
_ARMS = {
    _BASE: [PYTHON, "-c", _BASE],
    "asyncdemo list": [PYTHON, "-m", "asyncdemo", "list"],
    "asyncdemo --help": [PYTHON, "-m", "asyncdemo", "--help"],
}


def measure_startup(rounds: int) -> list[Row]:
    """On a terminal, where more is imported than for a pipe."""
    for command in _ARMS.values():
        on_terminal(command)  # what is compiled once is not counted
    walls_s: defaultdict[str, list[float]] = defaultdict(list)
    for order in orders(list(_ARMS), rounds):
        for arm in order:
            start_s = time.perf_counter()
            on_terminal(_ARMS[arm])
            walls_s[arm].append(time.perf_counter() - start_s)
    return [
        Row(
            f'`{arm}`, × `python -c "{_BASE}"`',
            Summary.of(paired_ratios(walls_s[arm], walls_s[_BASE])),
            lambda ratio: f"{ratio:.2f} ×",
            Target(2.0),
        )
        for arm in _ARMS
        if arm != _BASE
    ]
