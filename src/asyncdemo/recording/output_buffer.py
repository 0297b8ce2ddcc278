"""Keep what a recorded script writes, as plain text: a listener that ignores all other events."""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from asyncdemo.model import Outcome, Site, State
from asyncdemo.safe_text import without_codes

_CONTROL_CHARACTERS: Final = {
    code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"
}
_MOST: Final = 500_000
"""Characters kept of the beginning of a stream, and as many of its end."""


_GAP: Final = re.compile(r"^\.\.\. [\d,]+ characters left out \.\.\.$", re.MULTILINE)


def has_gap(text: str) -> bool:
    """Return whether a part of a stream's text is left out."""
    return _GAP.search(text) is not None


class OutputBuffer:
    """stdout, stderr, and both in the order in which they arrived.

    If there is too much, the beginning and the end are kept; a line says how much is left out.
    """

    def __init__(self) -> None:
        self._streams = {name: _BoundedText() for name in ("stdout", "stderr")}
        self._both = _BoundedText()
        self._unfinished_line = self._cut = ""

    def output(self, stream: str, text: str) -> None:
        self._streams[stream].add(text)
        if not text:
            return
        if self._unfinished_line not in ("", stream):  # the other stream's line may be completed later
            self._both.add("\n")
            self._cut = self._unfinished_line
        if self._cut == stream:
            text, self._cut = text.removeprefix("\n"), ""
        self._both.add(text)
        self._unfinished_line = stream if text and not text.endswith("\n") else ""

    @property
    def stdout(self) -> str:
        return self._streams["stdout"].text()

    @property
    def stderr(self) -> str:
        return self._streams["stderr"].text()

    @property
    def text(self) -> str:
        return self._both.text()

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None: ...
    def lane_changed(self, lane: int, at_ns: int, state: State, reason: str) -> None: ...
    def lane_closed(self, lane: int, at_ns: int, outcome: Outcome) -> None: ...
    def loop_blocked(
        self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None
    ) -> None: ...
    def clock(self, now_ns: int) -> None: ...


class _BoundedText:
    """The beginning and the end of a growing text."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._room = _MOST
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._left_out = 0

    def add(self, text: str) -> None:
        begin, text = text[: self._room], text[self._room :]
        if begin:
            self._head.append(begin)
            self._room -= len(begin)
        if text:
            self._tail.append(text)
            self._tail_size += len(text)
        while self._tail_size - len(self._tail[0] if self._tail else "") >= _MOST:
            dropped = len(self._tail.popleft())
            self._tail_size -= dropped
            self._left_out += dropped

    def text(self) -> str:
        gap = [f"\n... {self._left_out:,} characters left out ...\n"] if self._left_out else []
        return _plain("".join([*self._head, *gap, *self._tail]))


def _plain(text: str) -> str:
    """Return the text with the line ends of a file: a terminal adds carriage returns."""
    return without_codes(text).replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL_CHARACTERS)
