"""Find which connections and files can be read, however high their descriptors' numbers are."""

from __future__ import annotations

import selectors
from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Open(Protocol):
    def fileno(self) -> int: ...


_Source = TypeVar("_Source", bound="int | _Open")


def readable(sources: Iterable[_Source], timeout_s: float) -> list[_Source]:
    """Return the sources that can be read or are at their end, waiting at most this long for the first."""
    with selectors.PollSelector() as selector:  # select refuses descriptors from 1,024 on
        for source in sources:
            selector.register(source, selectors.EVENT_READ, source)
        return [key.data for key, _ in selector.select(timeout_s)]
