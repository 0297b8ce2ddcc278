"""Claims hold or fail on the figures of runs."""

from __future__ import annotations

import pytest

from asyncdemo.course.content.claims import Condition, check
from tests.unit.course.measured import metrics

MEASURED = {"blocking": metrics(3.0, peak=1), "awaited": metrics(0.3, peak=10)}
KNOBS = {"BREWS": 10}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Condition("awaited", "peak", "==", 10), True),
        (Condition("awaited", "peak", "==", 9), False),
        (Condition("awaited", "peak", "==", "BREWS"), True),
        (Condition("awaited", "peak", "<=", "BREWS", times=0.5), False),
        (Condition("awaited", "wall_s", "<", "blocking.wall_s", times=0.2), True),
        (Condition("blocking", "wall_s", "<", "awaited.wall_s"), False),
        (Condition("blocking", "wall_s", "about", "awaited.wall_s", times=10), True),
        (Condition("blocking", "wall_s", "about", 2.8, tolerance=0.1), True),
        (Condition("blocking", "wall_s", "about", 2.5, tolerance=0.1), False),
        (Condition("blocking", "wall_s", ">=", 3.0), True),
        (Condition("blocking", "wall_s", ">", 3.0), False),
    ],
)
def test_a_condition_compares_a_figure_with_a_number_a_knob_or_another_run(
    condition: Condition, holds: bool
) -> None:
    assert check(condition, MEASURED, KNOBS).holds is holds
