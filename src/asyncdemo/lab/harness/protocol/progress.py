"""How far a run is, told to whoever shows it.

Not for: showing it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    CALIBRATE = "calibrate"
    VERIFY = "verify"
    MEASURE = "measure"


@dataclass(frozen=True, slots=True)
class Progress:
    """round: from 1; 0 before the first. arm, setting: their titles. step: "start", "warm up", "measure".

    done, of: contestants of this stage that are finished, and how many there are. left_s: of the whole
    stage; None while nothing is known.
    """

    stage: Stage
    round: int
    rounds: int
    arm: str
    setting: str
    step: str
    done: int
    of: int
    left_s: float | None = None


Listener = Callable[[Progress], None]


def left_s(took_s: Sequence[float], remaining: int) -> float | None:
    """took_s: of each so far. Their mean, not the median: the slow ones come again in each round."""
    return statistics.fmean(took_s) * remaining if took_s else None
