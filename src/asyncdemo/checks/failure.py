"""A sentence that does not hold, and the stretch of the run that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model import Run

__all__ = ["CheckFailed", "Evidence", "Missed"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stretch of a run that shows a fault; ``render.evidence`` draws it.

    run: the whole recording. lanes: indices into ``run.lanes``, those that matter. start_ns, end_ns: when.
    requests: indices into ``run.requests``, where these are what matters.
    """

    run: Run
    lanes: tuple[int, ...]
    start_ns: int
    end_ns: int
    requests: tuple[int, ...] = ()


class CheckFailed(AssertionError):
    """A sentence about a run that does not hold: an ``AssertionError``.

    message: what should be and what was seen, in sentences. evidence: None if no stretch of the run
    shows it (nothing was called, say).
    """

    def __init__(self, message: str, evidence: Evidence | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.evidence = evidence


class Missed(CheckFailed):
    """What the sentence is about was not seen, because the machine was too busy: another run may show it."""
