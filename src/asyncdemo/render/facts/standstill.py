"""Explains why a run stands still while it goes on: what waits for what, and how to end it."""

from __future__ import annotations

from asyncdemo.analysis.diagnose import deadlocks, where_they_wait
from asyncdemo.model import Run
from asyncdemo.render.words import clean

_ENDS = "Ctrl-C ends it, and shows what was recorded."
_ENDS_NOW = "It was asked to end. A second Ctrl-C ends it immediately."


def explain(still: Run | None, late: bool) -> tuple[list[str], bool]:
    """Return sentences for a run that stands still, and whether they are urgent.

    One is about each waiting line; those about deadlocks come first, with advice.

    Args:
        still: The run so far if nothing happens in it; None if it is making progress.
        late: It was asked to end, and has not.
    """
    sentences: list[str] = []
    urgent = late
    if still is not None:
        stuck = list(deadlocks(still))
        urgent = late or any(stuck)
        sentences += [clean(f"{finding.message} {finding.advice}") for finding in stuck]
        sentences += [*map(clean, where_they_wait(still)), *([] if late else [_ENDS])]
    return [*sentences, *([_ENDS_NOW] if late else [])], urgent
