"""Which processors the client has and which the servers, so that neither takes the other's time.

Not for: the client pinning itself (``asyncdemo.load`` does, by its plan).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby


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

    def of_server(self) -> contextlib.AbstractContextManager[frozenset[int]]:
        """What is started meanwhile, and whatever that starts, stays on the server's processors.

        Those of the calling thread: whoever starts processes from another one must pin that.
        """
        return running_on(self.server)


def own_processors() -> frozenset[int]:
    """Of the calling thread; none where the system cannot say."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


@contextlib.contextmanager
def running_on(processors: Collection[int]) -> Iterator[frozenset[int]]:
    """What the calling thread starts meanwhile runs there, if any are named; gives where it ran before."""
    own = own_processors()
    if not processors:
        yield own
        return
    os.sched_setaffinity(0, processors)
    try:
        yield own
    finally:
        os.sched_setaffinity(0, own)


def keep_to(processors: frozenset[int], pids: Iterable[int]) -> None:
    """From now on, with all their threads, and whatever they start."""
    if not processors:
        return
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), processors)


def choose_pinning(allowed: Sequence[int] | None = None) -> Pinning:
    """The client has the last processor, the servers have all others. allowed: what we may use."""
    if allowed is None:
        allowed = sorted(own_processors())
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
