"""What a recorded script writes, kept as text. A listener that ignores everything else.

Not for: showing it while it comes (``render.output``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from asyncdemo.model import Outcome, Site, State

__all__ = ["KeptOutput"]

_CODES: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""Colours and the like: Python 3.13 colours the tracebacks that it writes to a terminal."""
_MOST = 20_000
"""Characters; what comes later is dropped."""


@dataclass(slots=True)
class KeptOutput:
    parts: list[tuple[str, str]] = field(default_factory=list)
    """(stream, text) as it arrived."""
    kept: int = 0

    def output(self, stream: str, text: str) -> None:
        text = text[: max(_MOST - self.kept, 0)]
        if text:
            self.kept += len(text)
            self.parts.append((stream, text))

    @property
    def stdout(self) -> str:
        return _plain(text for stream, text in self.parts if stream == "stdout")

    @property
    def stderr(self) -> str:
        return _plain(text for stream, text in self.parts if stream == "stderr")

    @property
    def text(self) -> str:
        """Both, in the order in which it arrived."""
        return _plain(text for _, text in self.parts)

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None: ...
    def lane_changed(self, lane: int, at_ns: int, state: State, reason: str) -> None: ...
    def lane_closed(self, lane: int, at_ns: int, outcome: Outcome) -> None: ...
    def loop_blocked(
        self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None
    ) -> None: ...
    def clock(self, now_ns: int) -> None: ...


def _plain(parts: Iterable[str]) -> str:
    """One text without control codes, with the line ends of a file: a terminal adds carriage returns."""
    return _CODES.sub("", "".join(parts)).replace("\r\n", "\n")
