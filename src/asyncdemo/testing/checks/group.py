"""The calls of one function in a run, and how a sentence about them fails.

Not here: the sentences themselves (see ``endings``, ``overlaps``, ``order``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Self

from asyncdemo.analysis.metrics.limits import Interval
from asyncdemo.model import Lane
from asyncdemo.testing.checks.observation import CheckFailed, Observation, Sentences
from asyncdemo.testing.checks.words import count

__tracebackhide__ = True
"""pytest shows the line of the test that failed, not ours."""


class Group(Sentences):
    """Calls in order of their start; there may be none.

    Attributes:
        function (str): The function that was called.
    """

    def __init__(self, observation: Observation, function: str, nouns: str, indices: Sequence[int]) -> None:
        """Made by ``Seen.calls``.

        Args:
            observation: The observed run.
            function: The function that was called.
            nouns: What sentences call the calls, in the plural.
            indices: Their indices in ``run.lanes``.
        """
        self._observation = observation
        self.function = function
        self._nouns = nouns
        lanes = observation.run.lanes
        self._indices = tuple(sorted(indices, key=lambda index: (lanes[index].start_ns, index)))

    def __len__(self) -> int:
        return len(self._indices)

    def __repr__(self) -> str:
        return f"<{count(len(self), self._nouns)}>"

    @property
    def indices(self) -> tuple[int, ...]:
        """Their indices in ``run.lanes``."""
        return self._indices

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The calls themselves, in order of their start."""
        return tuple(self._lane(index) for index in self._indices)

    @property
    def values(self) -> list[Any]:
        """What each returned; None also for anything that is not a plain value (see ``Lane.result``)."""
        return [None if lane.result is None else ast.literal_eval(lane.result) for lane in self.lanes]

    def only(self, *names: str) -> Self:
        """Select calls by name, for a sentence about some of them: ``only("send(1)", "send(2)")``."""
        chosen = [index for index in self._indices if self._lane(index).name in names]
        return type(self)(self._observation, self.function, self._nouns, chosen)

    # -- for the sentences ----------------------------------------------------------------------

    def _lane(self, index: int) -> Lane:
        return self._observation.run.lanes[index]

    def _there_are_some(self) -> None:
        """A sentence about all calls would be empty if there were none."""
        if not self._indices:
            self._fail(f"There should be {self._nouns}; there were none.")

    def _fail(
        self, message: str, lanes: Iterable[int] | None = None, stretch: Interval | None = None
    ) -> NoReturn:
        """``lanes`` show it; all by default. ``stretch`` is the time; by default, while these were open."""
        shown = self._indices if lanes is None else lanes
        raise CheckFailed(message, self._observation.evidence(shown, stretch))
