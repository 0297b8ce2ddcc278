"""What to say of a run that stands still while it goes on: who waits for whom, and what ends it.

Not for: the report of a run that is over (``facts``), finding out (``diagnose``).
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.analysis.diagnose import deadlocks, where_they_wait
from asyncdemo.model import Run
from asyncdemo.render.words import clean

_ENDS = "Ctrl-C ends it, and shows what was recorded."
_ENDS_NOW = "It was asked to end. A second Ctrl-C ends it immediately."


def explain(still: Run | None, late: bool) -> tuple[list[str], bool]:
    """Sentences for a run in which nothing happens, and whether somebody must know them.

    Args:
        still: The run as far as it came, if nothing happens in it; else it goes on.
        late: It was asked to end, and has not.
    """
    sentences: list[str] = []
    urgent = late
    if still is not None:
        urgent = late or any(deadlocks(still))
        sentences += [*_who_waits(still), *([] if late else [_ENDS])]
    return [*sentences, *([_ENDS_NOW] if late else [])], urgent


def _who_waits(run: Run) -> Iterator[str]:
    """A sentence for each line of it; the deadlocks first, each with what to do about it."""
    yield from (clean(f"{finding.message} {finding.advice}") for finding in deadlocks(run))
    yield from map(clean, where_they_wait(run))
