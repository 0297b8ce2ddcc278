"""The spans of one lane while its events arrive: columns that grow.

Not for: what has been recorded (``model.Spans``); this is how it comes to be.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from asyncdemo.model import Spans, State, Wait

__all__ = ["SpansBuilder"]


class SpansBuilder:
    """Grows the columns of one lane as its events arrive."""

    __slots__ = ("_starts", "_states", "_waits")

    def __init__(self) -> None:
        self._starts = array("q")
        self._states = array("B")
        self._waits = array("i")

    def add(self, start_ns: int, state: State, wait: int = 0) -> None:
        """From ``start_ns`` on the lane is in ``state``; ``wait`` indexes the run's causes.

        A start before the one before it is moved there; a span left without length is dropped.
        """
        starts = self._starts
        if starts:
            start_ns = max(start_ns, starts[-1])
            if starts[-1] == start_ns:
                self._states[-1], self._waits[-1] = state, wait
                return
            if self._states[-1] == state and self._waits[-1] == wait:
                return
        starts.append(start_ns)
        self._states.append(state)
        self._waits.append(wait)

    def add_step(self, ready_ns: int, start_ns: int, end_ns: int, state: State, wait: int) -> None:
        """``add`` for ready, running and what comes after, for times in order and not before the last.

        Written out, as this is done for every step of every task.
        """
        starts, states, waits = self._starts, self._states, self._waits
        if starts and starts[-1] == ready_ns:
            del starts[-1], states[-1], waits[-1]
        if ready_ns < start_ns and not (states and states[-1] == State.READY):
            starts.append(ready_ns)
            states.append(State.READY)
            waits.append(0)
        if start_ns < end_ns and not (states and states[-1] == State.RUNNING):
            starts.append(start_ns)
            states.append(State.RUNNING)
            waits.append(0)
        starts.append(end_ns)
        states.append(state)
        waits.append(wait)

    @property
    def state(self) -> tuple[int, State, int] | None:
        """(start_ns, state, wait) of the span that is growing."""
        if not self._starts:
            return None
        return self._starts[-1], State(self._states[-1]), self._waits[-1]

    @property
    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """(start_ns, state, index of the cause) so far; do not change them."""
        return self._starts, self._states, self._waits

    def copy(self) -> SpansBuilder:
        other = SpansBuilder()
        other._starts, other._states, other._waits = self._starts[:], self._states[:], self._waits[:]
        return other

    def recause(self, wait: int) -> None:
        """The span that is growing turns out to have this cause."""
        self._waits[-1] = wait

    def build(self, end_ns: int, causes: Sequence[Wait]) -> Spans:
        starts, states, waits = self._starts[:], self._states[:], self._waits[:]
        while len(starts) > 1 and starts[-1] >= end_ns:
            starts.pop(), states.pop(), waits.pop()
        return Spans(starts, states, waits, max(end_ns, starts[0]) if starts else end_ns, causes)
