"""The calls of one function in a run: how many there were, and how each of them ended."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Self

from asyncdemo.analysis.metrics.limits import Interval
from asyncdemo.model import Lane, Outcome
from asyncdemo.testing.checks.observation import CheckFailed, Observation, Sentences
from asyncdemo.testing.checks.words import count, join_names, upper, was

__tracebackhide__ = True
"""pytest shows the line of the test that failed, not ours."""

_LONG = 100
"""Lists with more characters are reported only by the first place that differs."""


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

    def happen(self, times: int) -> Self:
        """Assert that there were exactly this many calls."""
        if len(self) != times:
            self._fail(f"There should be {count(times, self._nouns)}; there {was(len(self))} {self._all()}.")
        return self._held(f"There {was(times)} {count(times, self._nouns)}.")

    def happen_at_least(self, times: int) -> Self:
        """Assert that there were at least this many calls."""
        if len(self) < times:
            self._fail(
                f"There should be at least {count(times, self._nouns)}; there {was(len(self))} {self._all()}."
            )
        return self._held(f"There {was(len(self))} {count(len(self), self._nouns)}.")

    def are_named(self, names: Sequence[str]) -> Self:
        """Assert that these were the calls, in order of their start: ``["brew(1)", "brew(2)"]``."""
        seen = [lane.name for lane in self.lanes]
        if seen != list(names):
            expected = join_names(list(names), 10) if names else "none"
            found = join_names(seen, 10) if seen else "none"
            self._fail(f"The {self._nouns} should be, in order of start: {expected}. They were: {found}.")
        return self._held(
            f"The {self._nouns} started in this order: {join_names(seen, 5) if seen else 'none'}."
        )

    def all_return(self) -> Self:
        """Assert that all returned: none raised, was cancelled or was still open when the program ended."""
        return self._all_end(Outcome.RETURNED, "return", "returned")

    def all_raise(self, error: str | None = None) -> Self:
        """Assert that all raised an error; with a name, that error."""
        self._all_end(Outcome.RAISED, "raise", "raised")
        for index, lane in zip(self._indices, self.lanes, strict=True):
            if error is not None and lane.error != error:
                seen = lane.error or "something else"
                self._fail(f"{lane.name} should raise {error}; it raised {seen}.", [index])
        return self

    def return_values(self, expected: Sequence[Any]) -> Self:
        """Assert that the results equal these, in order of start."""
        for index, lane, value, wanted in zip(self._indices, self.lanes, self.values, expected, strict=False):
            if value != wanted or type(value) is not type(wanted) or (wanted is None and not lane.result):
                self._fail(_differs(lane, value, wanted), [index])
        if len(self) != len(expected):
            self.happen(len(expected))
        return self._held(f"{upper(self._nouns)} returned what they should.")

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

    def _all(self) -> str:
        return "none" if not self else str(len(self))

    def _all_end(self, wanted: Outcome, verb: str, past: str) -> Self:
        self._there_are_some()
        for index, lane in zip(self._indices, self.lanes, strict=True):
            if lane.outcome is not wanted:
                when = "" if lane.outcome is Outcome.OPEN else f", at {self._at(lane.end_ns)}"
                self._fail(f"{lane.name} should {verb}; it {_ending(lane)}{when}.", [index])
        return self._held(f"All of the {self._nouns} {past}.")


def _differs(lane: Lane, value: object, wanted: object) -> str:
    """Report long lists by the first place that differs."""
    if isinstance(wanted, list) and isinstance(value, list) and len(repr(wanted)) > _LONG:
        places = (at for at, (ours, its) in enumerate(zip(wanted, value, strict=False)) if ours != its)
        place = next(places, None)
        if place is not None:
            return (
                f"{lane.name} should return {wanted[place]!r} as item {place + 1} of its list; "
                f"it returned {value[place]!r}."
            )
        return f"{lane.name} should return a list of {len(wanted)}; it returned one of {len(value)}."
    return f"{lane.name} should return {wanted!r}; it returned {_shown(lane)}."


def _ending(lane: Lane) -> str:
    if lane.outcome is Outcome.RAISED:
        return f"raised {lane.error or 'an error'}"
    if lane.outcome is Outcome.CANCELLED:
        return "was cancelled"
    return "had not ended when the program did" if lane.outcome is Outcome.OPEN else "returned"


def _shown(lane: Lane) -> str:
    if lane.outcome is Outcome.RETURNED:
        return lane.result or (
            "something that is not a plain value. If these are tasks or coroutines, return what they return: "
            "`await` them first"
        )
    return {Outcome.RAISED: "nothing, it raised", Outcome.CANCELLED: "nothing, it was cancelled"}.get(
        lane.outcome, "nothing, it had not ended"
    )
