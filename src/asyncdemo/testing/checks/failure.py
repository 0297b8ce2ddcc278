"""A sentence that does not hold, and the part of the run that shows it."""

from __future__ import annotations

from asyncdemo.model import Evidence

__all__ = ["CheckFailed", "Evidence", "Missed"]


class CheckFailed(AssertionError):
    """A sentence about a run that does not hold: an ``AssertionError``.

    Attributes:
        message (str): What should be and what was seen, in sentences.
        evidence (Evidence | None): The part of the run that shows it; None if there is none (for example, if
            nothing was called).
    """

    def __init__(self, message: str, evidence: Evidence | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.evidence = evidence


class Missed(CheckFailed):
    """The machine was too busy to show what the sentence is about; another run may show it."""
