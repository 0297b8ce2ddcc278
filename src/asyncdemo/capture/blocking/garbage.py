"""Keeps Python from collecting garbage in the tracer's thread.

Python collects in the thread that makes one object too many, so a script's finalizers and the callbacks of
its weak references would run in a thread that the script doesn't know: most of them, if it makes few objects.
"""

from __future__ import annotations

import gc
from itertools import repeat, starmap

ROOM = 500
"""Objects that one look at the script makes, at most. Python collects after 700, or 2,000."""
_FEW = 10
"""More objects than it takes to make many at once."""
_get_count, _get_threshold = gc.get_count, gc.get_threshold  # the script may replace them


class _Spare:
    __slots__ = ("tracked",)  # with a slot, Python counts it


class Headroom:
    """Spare objects, which are deleted to make room for as many others."""

    def __init__(self) -> None:
        self._spare: list[_Spare] = []
        self._make(ROOM)

    def make(self) -> None:
        """Make room, if Python is about to collect."""
        del self._spare[-_FEW:]  # first: to ask for the count makes an object, too
        count = _get_count()[0]
        missing = count + ROOM - _get_threshold()[0]
        if missing > 0:
            del self._spare[: min(missing, count)]

    def give_back(self) -> None:
        """Let Python count as before: if it's time to collect, the script's next object makes it do so."""
        missing = ROOM - len(self._spare)
        if missing > 0:
            most = _get_threshold()[0]
            self._make(min(missing, most - _get_count()[0] - _FEW))
            while len(self._spare) < ROOM and _get_count()[0] < most:
                self._spare.append(_Spare())

    def _make(self, count: int) -> None:
        self._spare.extend(starmap(_Spare, repeat((), max(0, count))))
