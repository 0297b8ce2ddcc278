"""What to say of a run that stands still while it goes on: who waits for whom, and what ends it.

Not for: the report of a run that is over (``facts``), finding out (``diagnose``).
"""

from __future__ import annotations

from asyncdemo.analysis.diagnose import deadlocks, where_they_wait
from asyncdemo.model import Run
from asyncdemo.render.words import clean

__all__ = ["ENDS", "ENDS_NOW", "is_deadlocked", "standstill_words"]

ENDS = "Ctrl-C ends it, and shows what was recorded."
ENDS_NOW = "It was asked to end. A second Ctrl-C ends it immediately."


def is_deadlocked(run: Run) -> bool:
    """Whether some of it can never go on, for certain."""
    return any(deadlocks(run))


def standstill_words(run: Run) -> tuple[str, ...]:
    """A sentence for each line of it; the deadlocks first, each with what to do about it."""
    found = [f"{finding.message} {finding.advice}" for finding in deadlocks(run)]
    return tuple(map(clean, (*found, *where_they_wait(run))))
