"""Which processors the client has and which the servers, so that neither takes the other's time.

Not for: the client pinning itself (``asyncdemo.load`` does, by its plan).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Pinning", "choose_pinning", "ranges"]


@dataclass(frozen=True, slots=True)
class Pinning:
    """Empty where nothing is pinned: there is one processor, or the system cannot do it."""

    client: tuple[int, ...] = ()
    server: tuple[int, ...] = ()

    @property
    def words(self) -> Mapping[str, str]:
        """As ``Environment.pinning`` has them."""
        if not self.client:
            return {"client": "any", "server": "any"}
        return {"client": ranges(self.client), "server": ranges(self.server)}

    @contextlib.contextmanager
    def of_server(self) -> Iterator[None]:
        """What is started meanwhile, and whatever that starts, stays on the server's processors.

        Those of the calling thread: whoever starts processes from another one must pin that.
        """
        if not self.server:
            yield
            return
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self.server)
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)


def choose_pinning(allowed: Sequence[int] | None = None) -> Pinning:
    """The client has the last processor, the servers have all others. allowed: what we may use."""
    if allowed is None:
        allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ()
    if len(allowed) < 2:
        return Pinning()
    return Pinning(client=(allowed[-1],), server=tuple(allowed[:-1]))


def ranges(processors: Sequence[int]) -> str:
    """``0``, ``1-3``, ``0-2,5``."""
    parts = []
    for _, group in groupby(enumerate(sorted(processors)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ",".join(parts)
