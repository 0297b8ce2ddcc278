"""The spans of runs as CSV, one per row, for spreadsheets and data frames.

``kind`` says what a row is about: a lane or a request, a connection of a pool, or a sample of memory. Times
are nanoseconds from the open of the run's first lane or request.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain

from asyncdemo.model import Run
from asyncdemo.render.timeline.grid import STATE_OF
from asyncdemo.render.timeline.layout import blocked_of, noun, open_ns, pieces
from asyncdemo.render.timeline.legend import SHADE_WORDS
from asyncdemo.render.timeline.pools import pool_sections
from asyncdemo.render.words import place, title
from asyncdemo.safe_text import cell

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
    "kind",
    "held_by",
    "resident_bytes",
    "virtual_bytes",
    "threads",
    "woken_by",
)


def render_csv(runs: Sequence[Run]) -> str:
    """Return the table with a header; lines end in CR LF, as in RFC 4180."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, restval="")
    table.writeheader()
    for run in runs:
        for row in chain(_rows(run), _connections(run), _memory(run)):
            fields = {"run": title(run), **row}.items()
            table.writerow({name: cell(of) if isinstance(of, str) else of for name, of in fields})
    return out.getvalue()


def _rows(run: Run) -> Iterator[dict[str, object]]:
    zero, blocked, wakers = open_ns(run), blocked_of(run), _wakers(run)
    for index, row in enumerate(run.rows):
        for piece in pieces(row, blocked):
            step = piece.step
            yield {
                "kind": noun(run),
                "lane": index,
                "name": row.name,
                "track": "" if row.track is None else row.track,
                "start_ns": piece.start_ns - zero,
                "end_ns": piece.end_ns - zero,
                "state": SHADE_WORDS[STATE_OF.get(piece.shade, piece.shade)],
                "reason": step.reason if step else piece.wait.reason,
                "resource": "" if piece.wait.resource is None else piece.wait.resource,
                "line": place(step.site, step.called_from, full=True)
                if step
                else place(piece.wait.site, full=True),
                "woken_by": "" if row.track is None else wakers.get((row.track, piece.end_ns), ""),
            }


def _wakers(run: Run) -> dict[tuple[int, int], str]:
    """Return, for each (track, time when it could run again), the name of the track that woke it."""
    return {
        (wake.woken, wake.at_ns): run.tracks[wake.waker].name
        for wake in run.wakes
        if 0 <= wake.waker < len(run.tracks)
    }


def _connections(run: Run) -> Iterator[dict[str, object]]:
    """Yield connections. ``lane`` is the index in the pool."""
    for pool in pool_sections(run):
        for index, row in enumerate(pool.rows):
            for stretch in row.bars:
                yield {
                    "kind": "connection",
                    "lane": index,
                    "name": f"{pool.title}: {row.label}",
                    "start_ns": stretch.start_ns,
                    "end_ns": stretch.end_ns,
                    "state": SHADE_WORDS[stretch.shade],
                    "held_by": stretch.why,
                }


def _memory(run: Run) -> Iterator[dict[str, object]]:
    zero = open_ns(run)
    for index, sample in enumerate(run.memory):
        yield {
            "kind": "memory",
            "lane": index,
            "start_ns": sample.at_ns - zero,
            "end_ns": sample.at_ns - zero,
            "resident_bytes": sample.resident_bytes,
            "virtual_bytes": sample.virtual_bytes,
            "threads": sample.threads,
        }
