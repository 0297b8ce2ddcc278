"""Explains why a run stands still while it goes on: what waits for what, and how to end it.

Not here: the report of a finished run (see ``facts.runs``), finding the cause (see ``diagnose``).
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.analysis.diagnose import deadlocks, where_they_wait
from asyncdemo.model import Run
from asyncdemo.render.words import clean

_ENDS = "Ctrl-C ends it, and shows what was recorded."
_ENDS_NOW = "It was asked to end. A second Ctrl-C ends it immediately."


def explain(still: Run | None, late: bool) -> tuple[list[str], bool]:
    """Return sentences for a run that stands still, and whether they are urgent.

    Args:
        still: The run so far if nothing happens in it; None if it is making progress.
        late: It was asked to end, and has not.
    """
    sentences: list[str] = []
    urgent = late
    if still is not None:
        urgent = late or any(deadlocks(still))
        sentences += [*_who_waits(still), *([] if late else [_ENDS])]
    return [*sentences, *([_ENDS_NOW] if late else [])], urgent


def _who_waits(run: Run) -> Iterator[str]:
    """Yield a sentence for each waiting line; deadlocks first, each with advice."""
    yield from (clean(f"{finding.message} {finding.advice}") for finding in deadlocks(run))
    yield from map(clean, where_they_wait(run))
