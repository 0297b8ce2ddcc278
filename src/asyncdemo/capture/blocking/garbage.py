"""Keeps Python from collecting garbage in the tracer's thread.

Python collects in the thread that makes the last object of so many, so a script's finalizers and weak
references' callbacks would run in a thread that the script doesn't know: in most of them, for a script that
makes few objects.
"""

from __future__ import annotations

import gc
from itertools import repeat, starmap

ROOM = 400
"""Objects that one look at the script makes and keeps, at most. Python collects after 700, or 2,000."""
_get_count, _get_threshold = gc.get_count, gc.get_threshold  # the script may replace them


class _Spare:
    __slots__ = ("tracked",)  # with a slot, Python counts it


class Headroom:
    """Spare objects, which are deleted to make room for as many others."""

    def __init__(self) -> None:
        self._spare: list[_Spare] = []
        self._refill(ROOM)

    def make(self) -> None:
        """Make room, if Python is about to collect."""
        count = _get_count()[0]
        missing = count + ROOM - _get_threshold()[0]
        if missing > 0:
            del self._spare[: min(missing, count)]

    def give_back(self) -> None:
        """Count as before: what the script makes is collected when it would be."""
        if len(self._spare) < ROOM:
            self._refill(min(ROOM - len(self._spare), _get_threshold()[0] - _get_count()[0]))

    def _refill(self, count: int) -> None:
        self._spare.extend(starmap(_Spare, repeat((), max(0, count))))
