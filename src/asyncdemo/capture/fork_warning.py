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
from typing import Any

from asyncdemo.capture.blocking.watchdog import Watchdog

_TEXT = re.compile(
    r"This process \(pid=\d+\) is multi-threaded, use of \w+\(\) may lead to deadlocks in the "
)
_FILTER = ("ignore", _TEXT, DeprecationWarning, None, 0)
_FORKING_AND_OURS = 2
_open, _read, _close, _active_count = os.open, os.read, os.close, threading.active_count


class ForkWarning:
    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._filters: list[Any] | None = None
        """The list that ours is in."""

    def prevent(self) -> None:
        """Ignore the warning of the fork that follows, if there would be none without our thread."""
        self.restore()
        if self._watchdog.runs and _count_threads() == _FORKING_AND_OURS:
            filters = getattr(sys.modules.get("warnings"), "filters", None)
            if type(filters) is list:
                filters.insert(0, _FILTER)
                self._filters = filters

    def restore(self) -> None:
        """Restore the filters of warnings."""
        filters, self._filters = self._filters, None
        if filters is not None:
            with suppress(ValueError):  # the script has removed it
                filters.remove(_FILTER)

    def restore_soon(self) -> None:
        """Restore them once the fork has returned: from 3.13 on, Python warns after its hooks."""
        if self._filters is not None:
            self._watchdog.call_soon(self.restore)


def _count_threads() -> int:
    try:
        file = _open("/proc/self/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return _active_count() + 1
    try:
        return int(_read(file, 4096).rpartition(b")")[2].split()[17])
    finally:
        _close(file)
