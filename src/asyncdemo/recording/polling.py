"""Find which connections and files can be read, however high their descriptors' numbers are."""

from __future__ import annotations

import math
import select
from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Open(Protocol):
    def fileno(self) -> int: ...


_Source = TypeVar("_Source", bound="int | _Open")


def readable(sources: Iterable[_Source], timeout_s: float) -> list[_Source]:
    """Return the sources that can be read or are at their end, waiting at most this long for the first.

    ``select`` refuses descriptors from 1,024 on, which a process with many open files gets. Like
    ``select``, this raises OSError for a closed one.
    """
    by_number = {source if isinstance(source, int) else source.fileno(): source for source in sources}
    poll = select.poll()
    for number, source in by_number.items():
        if number < 0:
            raise OSError(f"{source!r} is closed")
        poll.register(number, select.POLLIN)
    ready = poll.poll(math.ceil(timeout_s * 1000))
    closed = [number for number, event in ready if event & select.POLLNVAL]
    if closed:
        raise OSError(f"descriptor {closed[0]} is closed")
    return [by_number[number] for number, _ in ready]
