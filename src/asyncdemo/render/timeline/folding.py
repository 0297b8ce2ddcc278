"""Which neighbouring rows of recorded runs share a line, if a picture has fewer lines than rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from asyncdemo.model import Outcome, Run

_MOST_COMPARED = 240
"""Of a run with more rows, as many neighbours as necessary count as one from the start."""


class _Line(NamedTuple):
    """Rows that share a line: how many, when they start and end on average, and what they have in common."""

    size: int
    start: float
    end: float
    outcome: str
    stem: str

    def joined(self, other: _Line) -> _Line:
        size = self.size + other.size
        return _Line(
            size,
            (self.size * self.start + other.size * other.start) / size,
            (self.size * self.end + other.size * other.end) / size,
            self.outcome if self.outcome == other.outcome else "",
            self.stem if self.stem == other.stem else "",
        )

    def loss(self, other: _Line) -> tuple[int, bool, float]:
        """Return what the picture loses if both share a line.

        That's how many rows lose the mark of their failure; whether the names differ; and how far the
        times are apart, as Ward (1963) measures it: equal bars lose nothing.
        """
        marks = 0
        if self.outcome != other.outcome:
            marks = sum(line.size for line in (self, other) if line.outcome not in ("", Outcome.RETURNED))
        apart = (self.start - other.start) ** 2 + (self.end - other.end) ** 2
        weight = self.size * other.size / (self.size + other.size)
        return marks, self.stem != other.stem, apart * weight


def fold(runs: Sequence[Run], room: int) -> list[list[int]]:
    """Return how many rows each line of each run holds, with at most ``room`` lines in total.

    The lines go where they show most. There are more than ``room`` if each run would have fewer than two.
    """
    folded = [_lines(run) for run in runs]
    losses = [[a.loss(b) for a, b in pairwise(lines[1:])] for lines in folded]
    for _ in range(sum(map(len, folded)) - room):
        candidates = [(min(lost), which) for which, lost in enumerate(losses) if lost]
        if not candidates:
            break
        least, which = min(candidates)
        lines, lost = folded[which], losses[which]
        at = lost.index(least)
        lines[at + 1 : at + 3] = [lines[at + 1].joined(lines[at + 2])]
        around = range(max(at - 1, 0), min(at + 1, len(lines) - 2))
        lost[max(at - 1, 0) : at + 2] = [lines[pair + 1].loss(lines[pair + 2]) for pair in around]
    return [[line.size for line in lines] for lines in folded]


def _lines(run: Run) -> list[_Line]:
    """Return a line for each row; times are shares of the run, so that a short one counts like a long one."""
    if not run.rows:
        return []
    zero = min(row.start_ns for row in run.rows)
    length = max(row.end_ns for row in run.rows) - zero or 1
    lines = [
        _Line(
            1,
            (row.start_ns - zero) / length,
            (row.end_ns - zero) / length,
            row.outcome,
            re.sub(r"\d+", "", row.name),
        )
        for row in run.rows
    ]
    together = -(-len(lines) // _MOST_COMPARED)
    rest = (lines[at : at + together] for at in range(1, len(lines), together))
    return [lines[0], *(reduce(_Line.joined, some) for some in rest)]
