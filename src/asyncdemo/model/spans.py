"""What a lane was doing, when and why, and who woke whom.

Kept as columns, since a run may have a million of each.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import sub
from typing import overload

from asyncdemo.model.kinds import Site, State


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a span is waiting or queued, shared by every span with the same cause.

    Attributes:
        reason: The kind of wait: "sleep", "net.read", "task", "empty queue", "semaphore", ...
        resource: Index into ``Run.resources``, for queued spans.
        on: Index of the track waited for (or that ended the wait), if there is one.
        via: Index of the child track whose state this span shows, if the lane only awaits it.
        site: The innermost line of the user's own code that waits, if there is one.
    """

    reason: str = ""
    resource: int | None = None
    on: int | None = None
    via: int | None = None
    site: Site | None = None


NO_WAIT = Wait()

LOOPS = ("event loop", "hub")
"""``Wait.reason`` of a thread that runs an event loop: asyncio's or gevent's."""


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a lane in one state.

    Attributes:
        start_ns: When it begins.
        end_ns: When it ends; that instant is part of the next span.
        state: What the lane was doing.
        wait: What it waited or queued for, if it did.
    """

    start_ns: int
    end_ns: int
    state: State
    wait: Wait = NO_WAIT

    @property
    def duration_ns(self) -> int:
        """The length of the span."""
        return self.end_ns - self.start_ns


class Spans(Sequence[Span]):
    """The states of a lane from open to close, without gaps or overlaps: a sequence of ``Span``.

    Kept as columns (13 bytes a span): each span ends where the next one starts, so gaps and overlaps
    cannot be represented.
    """

    __slots__ = ("_causes", "_end_ns", "_starts", "_states", "_sums", "_waits")

    def __init__(
        self,
        starts: array[int],
        states: array[int],
        waits: array[int],
        end_ns: int,
        causes: Sequence[Wait],
    ) -> None:
        if not len(starts) == len(states) == len(waits):
            raise ValueError("columns of spans differ in length")
        self._starts = starts
        self._states = states
        self._waits = waits
        self._end_ns = end_ns
        self._causes = causes
        self._sums: dict[tuple[int, int], int] | None = None

    @classmethod
    def of(cls, spans: Iterable[Span]) -> Spans:
        """Make them from individual spans.

        Raises:
            ValueError: If they do not follow each other without gap or overlap.
        """
        starts, states, waits = array("q"), array("B"), array("i")
        causes: dict[Wait, int] = {NO_WAIT: 0}
        end_ns: int | None = None
        for span in spans:
            if span.end_ns < span.start_ns or end_ns not in (None, span.start_ns):
                raise ValueError(f"span {span} does not start where the one before it ends")
            starts.append(span.start_ns)
            states.append(span.state)
            waits.append(causes.setdefault(span.wait, len(causes)))
            end_ns = span.end_ns
        return cls(starts, states, waits, end_ns or 0, tuple(causes))

    @property
    def causes(self) -> Sequence[Wait]:
        """The table that the wait column indexes; all spans of a run share it."""
        return self._causes

    @property
    def columns(self) -> tuple[array[int], array[int], array[int], int]:
        """The columns start_ns, state and index into ``causes``, and the end of the last span.

        For code that walks millions of spans; don't change the arrays.
        """
        return self._starts, self._states, self._waits, self._end_ns

    def sums(self) -> Mapping[tuple[int, int], int]:
        """Return (state, index into ``causes``) -> total length in ns. Computed only once."""
        if self._sums is None:
            sums: dict[tuple[int, int], int] = {}
            ends = chain(islice(self._starts, 1, None), (self._end_ns,))
            keys = zip(self._states, self._waits, strict=True)
            for key, length_ns in zip(keys, map(sub, ends, self._starts), strict=True):
                sums[key] = sums.get(key, 0) + length_ns
            self._sums = sums
        return self._sums

    def clip(self, start_ns: int, end_ns: int) -> Spans:
        """Return the part between two times; empty if there is none."""
        if self._starts:
            start_ns, end_ns = max(start_ns, self._starts[0]), min(end_ns, self._end_ns)
        if not self._starts or end_ns <= start_ns:
            return Spans(array("q"), array("B"), array("i"), end_ns, self._causes)
        first = bisect_right(self._starts, start_ns) - 1
        last = bisect_left(self._starts, end_ns)
        starts = self._starts[first:last]
        starts[0] = start_ns
        return Spans(starts, self._states[first:last], self._waits[first:last], end_ns, self._causes)

    def waiting_until(self, end_ns: int) -> Spans:
        """Return these spans, extended with a wait to ``end_ns`` if they end earlier."""
        if not self._starts or end_ns <= self._end_ns:
            return self
        return Spans(
            self._starts + array("q", [self._end_ns]),
            self._states + array("B", [State.WAITING]),
            self._waits + array("i", [0]),  # NO_WAIT
            end_ns,
            self._causes,
        )

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        last = index + 1 == len(self)
        return Span(
            self._starts[index],
            self._end_ns if last else self._starts[index + 1],
            State(self._states[index]),
            self._causes[self._waits[index]],
        )

    def __iter__(self) -> Iterator[Span]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spans) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable columns

    def __repr__(self) -> str:
        return f"Spans({list(self)!r})"


@dataclass(frozen=True, slots=True)
class Wake:
    """One track making another ready.

    Attributes:
        at_ns: When it happened.
        waker: Index into ``Run.tracks`` of the track that did it.
        woken: Index into ``Run.tracks`` of the track that became ready.
    """

    at_ns: int
    waker: int
    woken: int


class Wakes(Sequence[Wake]):
    """A sequence of ``Wake``, in order of time for each woken track; kept as columns, 16 bytes a wake."""

    __slots__ = ("_at", "_waker", "_woken")

    def __init__(self, wakes: Iterable[Wake] = ()) -> None:
        self._at, self._waker, self._woken = array("q"), array("i"), array("i")
        for wake in wakes:
            self.add(wake.at_ns, wake.waker, wake.woken)

    def add(self, at_ns: int, waker: int, woken: int) -> None:
        """Append one; the arguments are those of ``Wake``."""
        self._at.append(at_ns)
        self._waker.append(waker)
        self._woken.append(woken)

    def last(self, woken: int, until_ns: int) -> Wake | None:
        """Return the last wake of a track up to a given time.

        Args:
            woken: Index into ``Run.tracks``.
            until_ns: Later wakes do not count.
        """
        found, at = None, -1
        for _ in range(self._woken.count(woken)):
            at = self._woken.index(woken, at + 1)
            if self._at[at] > until_ns:
                break
            found = self[at]
        return found

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, index: int) -> Wake: ...
    @overload
    def __getitem__(self, index: slice) -> list[Wake]: ...
    def __getitem__(self, index: int | slice) -> Wake | list[Wake]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Wake(self._at[index], self._waker[index], self._woken[index])

    def __iter__(self) -> Iterator[Wake]:
        return map(Wake, self._at, self._waker, self._woken)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wakes) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable columns
