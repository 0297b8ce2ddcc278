"""Wakes: which track made which ready, and when."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload


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
