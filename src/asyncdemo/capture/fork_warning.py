"""Keeps Python from warning of a fork only because of the tracer's thread.

Since 3.12, Python warns if the system counts more than one thread. To end ours and start it again would take
milliseconds, in which a signal handler of the script could raise for nothing: Python ignores what is raised
there.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

from asyncdemo.capture.blocking.watchdog import Watchdog

_TEXT = re.compile(
    r"This process \(pid=\d+\) is multi-threaded, use of \w+\(\) may lead to deadlocks in the "
)
_FILTER = ("ignore", _TEXT, DeprecationWarning, None, 0)
_FORKING_AND_OURS = 2
# the script may replace them
_open, _read, _close, _active_count = os.open, os.read, os.close, threading.active_count
_get_ident, _current_frames = threading.get_ident, sys._current_frames


class ForkWarning:
    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._filters: list[Any] | None = None
        """The list that ours is in."""
        self._forks = 0

    def prevent(self) -> None:
        """Ignore the warning of the fork that follows, if there would be none without our thread."""
        self.restore()
        self._forks += 1
        if self._watchdog.runs and _count_threads() == _FORKING_AND_OURS:
            filters = _find_filters(sys.modules.get("warnings"))
            if type(filters) is list:
                filters.insert(0, _FILTER)
                self._filters = filters

    def restore(self) -> None:
        """Restore the filters of warnings."""
        filters, self._filters = self._filters, None
        if filters is not None:
            with suppress(ValueError):  # the script has removed it
                filters.remove(_FILTER)

    def restore_after(self, forking: FrameType | None) -> None:
        """Restore them once the call of ``fork`` in this frame has returned.

        From 3.13 on, Python warns after it has called its hooks.
        """
        if self._filters is None:
            return
        if sys.version_info < (3, 13) or forking is None:
            self.restore()
        else:
            self._restore_if_returned(self._forks, _get_ident(), id(forking), forking.f_lasti)

    def _restore_if_returned(self, fork: int, ident: int, frame_id: int, instruction: int) -> None:
        if fork != self._forks:
            return  # done before the next one
        frame = _current_frames().get(ident)
        while frame is not None:
            if id(frame) == frame_id and frame.f_lasti == instruction:
                again = partial(self._restore_if_returned, fork, ident, frame_id, instruction)
                self._watchdog.call_soon(again)
                return
            frame = frame.f_back
        self.restore()


def _find_filters(warnings: Any) -> object:
    """Return the filters that apply here: since 3.14, each context may have its own."""
    find = getattr(warnings, "_get_filters", None)
    return getattr(warnings, "filters", None) if find is None else find()


def _count_threads() -> int:
    try:
        file = _open("/proc/self/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return _active_count() + 1
    try:
        return int(_read(file, 4096).rpartition(b")")[2].split()[17])
    finally:
        _close(file)
