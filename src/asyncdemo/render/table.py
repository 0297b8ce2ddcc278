"""The spans of runs as CSV: a row for each, for spreadsheets and data frames.

Times are nanoseconds from the first lane's open of the run. Not for: sums (``metrics``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from asyncdemo.model import Run
from asyncdemo.render.grid import STATE_OF
from asyncdemo.render.layout import blocked_of, open_ns, pieces
from asyncdemo.render.words import SHADE_WORDS, place, title

__all__ = ["COLUMNS", "render_csv"]

COLUMNS = (
    "run",
    "lane",
    "name",
    "track",
    "start_ns",
    "end_ns",
    "state",
    "reason",
    "resource",
    "line",
)


def render_csv(runs: Sequence[Run]) -> str:
    """With a header; lines end in CR LF, as RFC 4180 has it."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for run in runs:
        zero, blocked = open_ns(run), blocked_of(run)
        for index, row in enumerate(run.rows):
            for piece in pieces(row, blocked):
                step = piece.step
                table.writerow(
                    (
                        title(run),
                        index,
                        row.name,
                        "" if row.track is None else row.track,
                        piece.start_ns - zero,
                        piece.end_ns - zero,
                        SHADE_WORDS[STATE_OF.get(piece.shade, piece.shade)],
                        step.reason if step else piece.wait.reason,
                        "" if piece.wait.resource is None else piece.wait.resource,
                        place(step.site, step.called_from, full=True) if step else "",
                    )
                )
    return out.getvalue()
