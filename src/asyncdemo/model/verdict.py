"""The verdict on an exercise: which sentences of its check held, and what shows the one that did not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from asyncdemo.model.run import Evidence, Run
from asyncdemo.safe_text import clean


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking an exercise.

    Attributes:
        held: The sentences that held in the reported run, in order.
        knobs: Those of the reported run that differ from the file.
        output: What the reported run wrote.
        message: What should be and what was seen, if a sentence did not hold.
        evidence: The stretch of a run that shows it, if there is one.
        missed: The machine was too busy to tell whether it is a failure.
        runs: The runs so far. The last is the reported one: the one that failed or, if all passed, the first.
        seed: The seed that the values were drawn from; None if none were, or not those of the failed run.
        repeat: The command that draws the same values again.
    """

    held: tuple[str, ...]
    knobs: Mapping[str, int | float | str | bool]
    output: str
    message: str | None = None
    evidence: Evidence | None = None
    missed: bool = False
    runs: tuple[Run, ...] = ()
    seed: int | None = None
    repeat: str = ""

    def __post_init__(self) -> None:
        """Make the sentences safe to show, which contain names and values of the learner's program."""
        object.__setattr__(self, "held", tuple(map(clean, self.held)))
        if self.message is not None:
            object.__setattr__(self, "message", clean(self.message))

    @property
    def passed(self) -> bool:
        return self.message is None
