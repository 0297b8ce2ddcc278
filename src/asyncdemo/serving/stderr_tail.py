"""Keeps the last lines that a server writes, so that they are known when it dies."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePath
from typing import Final

from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Listener
from asyncdemo.safe_text import without_codes

_LINES: Final = 3
_LONGEST: Final = 200
_FRAME: Final = re.compile(r'^\s+File "([^"]+)", line \d+')


class StderrTail:
    """A listener that passes everything on to another, if there is one."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener: Listener = OutputBuffer() if listener is None else listener
        self.lane_opened = self._listener.lane_opened
        self.lane_changed = self._listener.lane_changed
        self.lane_closed = self._listener.lane_closed
        self.loop_blocked = self._listener.loop_blocked
        self.clock = self._listener.clock
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._begun = ""
        self._failed_in = ""

    def failed_in(self, package: str) -> bool:
        """Return whether the innermost frame of the last traceback on standard error is in that package."""
        return package in PurePath(self._failed_in).parts

    def last_words(self) -> str:
        """Return the last lines on standard error, joined into one; "" if nothing was written there."""
        lines = [*self._lines, *([self._begun] if self._begun.strip() else [])]
        plain = [" ".join(without_codes(line).split())[:_LONGEST] for line in lines[-_LINES:]]
        return " / ".join(plain)

    def output(self, stream: str, text: str) -> None:
        self._listener.output(stream, text)
        if stream == "stderr":
            *lines, self._begun = (self._begun + text).splitlines(keepends=True)[-2 * _LINES :] or [""]
            if self._begun.endswith(("\n", "\r")):
                lines, self._begun = [*lines, self._begun], ""
            self._lines.extend(line for line in lines if line.strip())
            for frame in filter(None, map(_FRAME.match, lines)):
                self._failed_in = frame[1]
