"""How long a command takes that only says something, against the import it cannot do without."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from benchmarks.processes import PYTHON, on_terminal
from benchmarks.summary import Summary, in_rounds, paired_ratios
from benchmarks.table import Row, Target

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
    walls_s = in_rounds({arm: partial(_wall_s, command) for arm, command in _ARMS.items()}, rounds)
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


def _wall_s(command: Sequence[str]) -> float:
    start_s = time.perf_counter()
    on_terminal(command)
    return time.perf_counter() - start_s
