"""Build the spans of one lane while its events arrive, as growing columns."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from asyncdemo.model import Spans, State, Wait

SeenWait = tuple[int, int, int]
"""A wait of a thread that was seen from outside, or a part of it: (start_ns, end_ns, index of the cause)."""

_RUNNING, _READY, _WAITING = int(State.RUNNING), int(State.READY), int(State.WAITING)
_UNKNOWN = int(State.UNKNOWN)


class SpansBuilder:
    __slots__ = ("_starts", "_states", "_waits")

    def __init__(self) -> None:
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

    def add_unseen(self, since_ns: int) -> None:
        """Make the state unknown from ``since_ns`` to the first span that starts later, if there is one."""
        starts, states, waits = self._starts, self._states, self._waits
        since_ns = max(since_ns, starts[0]) if starts else since_ns
        at = bisect_left(starts, since_ns)
        if at == len(starts):
            self.add(since_ns, _UNKNOWN)
        elif starts[at] == since_ns:
            states[at], waits[at] = _UNKNOWN, 0
        else:
            starts.insert(at, since_ns)
            states.insert(at, _UNKNOWN)
            waits.insert(at, 0)

    def forget_before(self, at_ns: int) -> None:
        """Drop the spans that end before ``at_ns``; until then, the state is unknown."""
        keep = bisect_right(self._starts, at_ns) - 1
        if keep < 1:
            return
        start_ns = self._starts[0]
        del self._starts[:keep], self._states[:keep], self._waits[:keep]
        if self._states[0] == _UNKNOWN:
            self._starts[0] = start_ns
            return
        self._starts[0] = at_ns
        self._starts.insert(0, start_ns)
        self._states.insert(0, _UNKNOWN)
        self._waits.insert(0, 0)

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
        return other

    def recause(self, wait: int) -> None:
        self._waits[-1] = wait

    def build(self, end_ns: int, causes: Sequence[Wait]) -> Spans:
        starts, states, waits = self._starts[:], self._states[:], self._waits[:]
        while len(starts) > 1 and starts[-1] >= end_ns:
            starts.pop(), states.pop(), waits.pop()
        return Spans(starts, states, waits, max(end_ns, starts[0]) if starts else end_ns, causes)


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
