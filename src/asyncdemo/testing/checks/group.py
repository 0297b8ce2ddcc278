"""The calls of one function in a run, and how a sentence about them fails.

Not for: the sentences themselves (``endings``, ``overlaps``, ``order``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Self

from asyncdemo.analysis.metrics.limits import Interval
from asyncdemo.model import Lane
from asyncdemo.testing.checks.failure import CheckFailed
from asyncdemo.testing.checks.observation import Observation
from asyncdemo.testing.checks.words import at, count

__tracebackhide__ = True
"""A failed sentence is the test's: pytest shows the line that said it, not ours."""


class Group:
    """Calls in order of their start; there may be none.

    Attributes:
        function (str): Whose calls they are.
    """

    def __init__(self, observation: Observation, function: str, nouns: str, indices: Sequence[int]) -> None:
        """Made by ``Seen.calls``.

        Args:
            observation: What the run showed.
            function: The function whose calls they are.
            nouns: What sentences call them, in the plural.
            indices: Where they stand in ``run.lanes``.
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
        """Where they stand in ``run.lanes``."""
        return self._indices

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The calls themselves, in order of their start."""
        return tuple(self._lane(index) for index in self._indices)

    @property
    def values(self) -> list[Any]:
        """What each returned; None also for what is no plain value (see ``Lane.result``)."""
        return [None if lane.result is None else ast.literal_eval(lane.result) for lane in self.lanes]

    def only(self, *names: str) -> Self:
        """Those of these names, for a sentence about a part of the calls: ``only("send(1)", "send(2)")``."""
        chosen = [index for index in self._indices if self._lane(index).name in names]
        return type(self)(self._observation, self.function, self._nouns, chosen)

    # -- for the sentences ----------------------------------------------------------------------

    def _lane(self, index: int) -> Lane:
        return self._observation.run.lanes[index]

    def _at(self, time_ns: int) -> str:
        return at(time_ns, self._observation.zero_ns)

    def _held(self, sentence: str) -> Self:
        self._observation.held.append(sentence)
        return self

    def _there_are_some(self) -> None:
        """A sentence about all of them says nothing if there are none."""
        if not self._indices:
            self._fail(f"There should be {self._nouns}; there were none.")

    def _fail(
        self, message: str, lanes: Iterable[int] | None = None, stretch: Interval | None = None
    ) -> NoReturn:
        """lanes: those that show it, all by default. stretch: when; by default while these were open."""
        shown = list(self._indices if lanes is None else lanes)
        if not shown:
            raise CheckFailed(message)
        if stretch is None:
            stretch = (
                min(self._lane(index).start_ns for index in shown),
                max(self._lane(index).end_ns for index in shown),
            )
        raise CheckFailed(message, self._observation.evidence(shown, *stretch))
