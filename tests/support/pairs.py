"""Cases of two kinds that have little to do with each other: each once, all pairs of them for a release."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet


def crossed(rows: Sequence[ParameterSet], columns: Sequence[ParameterSet]) -> list[ParameterSet]:
    """Each row with the first column, each column with the first row; the other pairs are for a release."""
    return [
        pytest.param(
            *row.values,
            *column.values,
            id=f"{row.id}-{column.id}",
            marks=[*row.marks, *column.marks, *([pytest.mark.release] if above and left else [])],
        )
        for above, row in enumerate(rows)
        for left, column in enumerate(columns)
    ]
