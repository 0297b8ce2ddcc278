"""The last lines of a script's output, safe to show, and bounded however much it writes."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from asyncdemo.safe_text import without_codes

_LONGEST = 1_000
_CHUNK = 65_536


class OutputLine(NamedTuple):
    stream: str
    text: str


class Tail:
    """The last ``lines`` lines. ``total`` is the number of lines written."""

    def __init__(self, lines: int = 50) -> None:
        self.total = 0
        self._kept: deque[OutputLine] = deque(maxlen=lines)
        self._unfinished: dict[str, str] = {}

    def add(self, stream: str, text: str) -> None:
        """Add any part of the text of "stdout" or "stderr", not always whole lines."""
        self.total += text.count("\n")
        *lines, rest = (self._unfinished.pop(stream, "") + text[-_CHUNK:]).split("\n")
        for line in lines[-(self._kept.maxlen or 0) :]:
            self._kept.append(OutputLine(stream, _shown(line)))
        if rest:
            self._unfinished[stream] = rest[-_LONGEST:]

    def last(self, lines: int) -> list[OutputLine]:
        """Return the newest lines, including unfinished ones."""
        unfinished = [OutputLine(stream, _shown(text)) for stream, text in self._unfinished.items()]
        newest = [*self._kept, *unfinished]
        return newest[-lines:] if lines > 0 else []


def _shown(line: str) -> str:
    # Text that a carriage return overwrites is dropped: progress bars show their last state.
    line = without_codes(line[-_LONGEST:]).rstrip("\r").rsplit("\r", 1)[-1].expandtabs(4)
    return "".join(char for char in line if char.isprintable())
