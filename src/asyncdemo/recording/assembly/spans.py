"""Build the spans of one lane while its events arrive, as growing columns.

Not here: the finished spans (see ``model.Spans``).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from asyncdemo.model import CoarseSpans, Spans, State, Wait

SeenWait = tuple[int, int, int]
"""A wait of a thread that was seen from outside, or a part of it: (start_ns, end_ns, index of the cause)."""

_RUNNING, _READY, _WAITING = int(State.RUNNING), int(State.READY), int(State.WAITING)


@dataclass(slots=True)
class StepSum:
    """The sum of several steps of one track, reported together.

    ``end_ns`` is the end of the last step; ``state`` and ``wait`` come after it. ``waited`` is
    (wait << 2 | state) -> how long; ``unreported`` entries of it are still to be reported.
    """

    end_ns: int
    steps: int
    running_ns: int
    state: int
    wait: int
    unreported: int = 0
    waited: dict[int, int] = field(default_factory=dict)

    def add(self, state: int, wait: int, length_ns: int) -> None:
        key = wait << 2 | state
        self.waited[key] = self.waited.get(key, 0) + length_ns

    def lengths(self, start_ns: int) -> dict[int, int]:
        """Return the same as ``waited`` for all states since ``start_ns``; the rest of the time is ready."""
        remaining_ns = self.end_ns - start_ns - self.running_ns - sum(self.waited.values())
        found = {**self.waited, _READY: self.waited.get(_READY, 0) + max(remaining_ns, 0)}
        return {**found, _RUNNING: self.running_ns}


class SpansBuilder:
    __slots__ = ("_coarse", "_starts", "_states", "_stretch_ns", "_waits", "coarse")

    def __init__(self) -> None:
        self.coarse: CoarseSpans | None = None
        """What is known about the summed spans."""
        self._coarse = 0
        """How many of the first spans are summed, over stretches of ``_stretch_ns``."""
        self._stretch_ns = 0
        self._starts = array("q")
        self._states = array("B")
        self._waits = array("i")

    def add(self, start_ns: int, state: int, wait: int = 0) -> None:
        """Add a span in ``state`` from ``start_ns`` on; ``wait`` indexes the run's causes.

        A start earlier than the previous one is moved to that; a span left without length is dropped.
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

    def add_step(self, ready_ns: int, start_ns: int, end_ns: int, state: int, wait: int) -> None:
        """``add`` ready, running and the state after it, for times in order and not before the last.

        Written out for speed, since it runs for every step of every task.
        """
        starts, states, waits = self._starts, self._states, self._waits
        before = states[-1] if states else -1
        taken_over = starts and starts[-1] == ready_ns
        if taken_over and (before != _READY or waits[-1] or ready_ns == start_ns):
            del starts[-1], states[-1], waits[-1]
            before = states[-1] if states else -1
        if ready_ns < start_ns and before != _READY:
            starts.append(ready_ns)
            states.append(_READY)
            waits.append(0)
            before = _READY
        if start_ns < end_ns and before != _RUNNING:
            starts.append(start_ns)
            states.append(_RUNNING)
            waits.append(0)
        starts.append(end_ns)
        states.append(state)
        waits.append(wait)

    def add_sum(self, start_ns: int, step_sum: StepSum) -> list[tuple[int, int, int]]:
        """Add spans for the time in each state over several steps; return (start_ns, state, wait) of each."""
        longest = self._longest_single()
        added = []
        for key, length_ns in step_sum.lengths(start_ns).items():
            added.append((start_ns, key & 3, key >> 2))
            start_ns += length_ns
        added.append((start_ns, step_sum.state, step_sum.wait))
        for span in added:
            self.add(*span)
        self.coarse = CoarseSpans(start_ns, *longest)
        return added

    def _longest_single(self) -> tuple[int, int]:
        """Return (length, start) of the longest step so far, never one of those reported together."""
        coarse = self.coarse or CoarseSpans(0, 0, 0)
        longest_ns, at_ns = coarse.longest_step_ns, coarse.longest_at_ns
        starts, states = self._starts, self._states
        for place in range(bisect_left(starts, coarse.until_ns), len(starts) - 1):
            if states[place] == _RUNNING and starts[place + 1] - starts[place] > longest_ns:
                longest_ns, at_ns = starts[place + 1] - starts[place], starts[place]
        return longest_ns, at_ns

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def waiting_for(self) -> int:
        """The cause of the current span if it is waiting, otherwise -1."""
        return self._waits[-1] if self._states and self._states[-1] == _WAITING else -1

    @property
    def state(self) -> tuple[int, State, int] | None:
        """(start_ns, state, wait) of the current span."""
        if not self._starts:
            return None
        return self._starts[-1], State(self._states[-1]), self._waits[-1]

    @property
    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """The columns start_ns, state and index of the cause so far; don't change them."""
        return self._starts, self._states, self._waits

    def copy(self) -> SpansBuilder:
        other = SpansBuilder()
        other._starts, other._states, other._waits = self._starts[:], self._states[:], self._waits[:]
        other.coarse = self.coarse
        return other

    def coarsen(
        self, stretch_ns: int, long_wait_ns: int, fixed: frozenset[int], edges: Sequence[int]
    ) -> None:
        """Merge the spans with the same state and cause within each stretch of time.

        This leaves out the current span, spans with causes in ``fixed``, long ones, and those that contain
        one of the times in ``edges``, which are in order.
        """
        starts, states, waits = self._starts, self._states, self._waits
        first = self._coarse if stretch_ns == self._stretch_ns else 0
        last = len(starts) - 1
        if last - first < 2:
            return
        made = SpansBuilder()
        gathered: dict[int, int] = {}
        longest_ns, longest_at_ns = self._longest_single()
        gathered_ns = stretch_end_ns = 0
        ends = starts[first + 1 : last + 1]
        for start_ns, end_ns, state, wait in zip(
            starts[first:last], ends, states[first:last], waits[first:last], strict=True
        ):
            length_ns = end_ns - start_ns
            if (
                length_ns > stretch_ns
                or (state > _READY and (state != _WAITING or length_ns >= long_wait_ns or wait in fixed))
                or (edges and _within(edges, start_ns, end_ns))
            ):
                made._append(gathered_ns, gathered)
                made.add(start_ns, state, wait)
                continue
            if start_ns >= stretch_end_ns:
                made._append(gathered_ns, gathered)
                stretch_end_ns = (start_ns // stretch_ns + 1) * stretch_ns
            if not gathered:
                gathered_ns = start_ns
            key = wait << 2 | state
            gathered[key] = gathered.get(key, 0) + length_ns
        made._append(gathered_ns, gathered)
        starts[first:last], states[first:last], waits[first:last] = made._starts, made._states, made._waits
        self._coarse, self._stretch_ns = first + len(made), stretch_ns
        self.coarse = CoarseSpans(starts[-1], longest_ns, longest_at_ns)

    def _append(self, at_ns: int, gathered: dict[int, int]) -> None:
        """Add one span for each state and cause gathered, and clear them."""
        for key, length_ns in gathered.items():
            self.add(at_ns, key & 3, key >> 2)
            at_ns += length_ns
        gathered.clear()

    def recause(self, wait: int) -> None:
        self._waits[-1] = wait

    def build(self, end_ns: int, causes: Sequence[Wait]) -> Spans:
        starts, states, waits = self._starts[:], self._states[:], self._waits[:]
        while len(starts) > 1 and starts[-1] >= end_ns:
            starts.pop(), states.pop(), waits.pop()
        return Spans(starts, states, waits, max(end_ns, starts[0]) if starts else end_ns, causes)


def _within(edges: Sequence[int], start_ns: int, end_ns: int) -> bool:
    """Return whether one of these times, which are in order, is between the two."""
    at = bisect_left(edges, start_ns)
    return at < len(edges) and edges[at] < end_ns


def pieces(spans: Spans) -> Iterator[tuple[int, int, int, int]]:
    """Return (start_ns, end_ns, state, wait) of each span."""
    starts, states, waits, end_ns = spans.columns
    return zip(starts, chain(islice(starts, 1, None), (end_ns,)), states, waits, strict=True)


def with_waits(spans: Spans, seen: Sequence[SeenWait]) -> Spans:
    """Add waits that ``capture.blocking.off_cpu`` saw, where the thread shows as running.

    Elsewhere, what it reported itself is more reliable. They must be in order of time.
    """
    builder = SpansBuilder()
    first = 0
    for start_ns, stop_ns, state, wait in pieces(spans):
        builder.add(start_ns, state, wait)
        while first < len(seen) and seen[first][1] <= start_ns:
            first += 1
        if state != _RUNNING:
            continue
        seen_until_ns = start_ns
        for number in range(first, len(seen)):
            seen_start_ns, seen_end_ns, cause = seen[number]
            if seen_start_ns >= stop_ns:
                break
            builder.add(max(seen_start_ns, start_ns), _WAITING, cause)
            seen_until_ns = max(seen_until_ns, seen_end_ns)
            continues = number + 1 < len(seen) and seen[number + 1][0] <= seen_until_ns
            if seen_until_ns < stop_ns and not continues:
                builder.add(seen_until_ns, _RUNNING, wait)
    return builder.build(spans.columns[-1], spans.causes)
