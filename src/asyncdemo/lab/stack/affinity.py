"""On which processors the parts of a stack run, where the system lets us say so (Linux).

Not for: which are the client's and which the server's (``lab.pinning``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["everywhere", "keep_to", "processors"]


def processors() -> frozenset[int]:
    """Of the calling thread; none where the system cannot say."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def keep_to(where: frozenset[int], pids: Iterable[int]) -> None:
    """From now on, with all their threads, and whatever they start."""
    if not where:
        return
    for pid in pids:
        with suppress(OSError):  # it has ended, or is somebody else's
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), where)


@contextmanager
def everywhere(where: frozenset[int]) -> Iterator[frozenset[int]]:
    """What the calling thread starts meanwhile may run there; gives where the thread itself belongs."""
    own = processors()
    if not where:
        yield own
        return
    os.sched_setaffinity(0, where)
    try:
        yield own
    finally:
        os.sched_setaffinity(0, own)
