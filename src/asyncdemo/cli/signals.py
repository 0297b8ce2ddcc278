"""Signals that would end a command: noted, and heeded when it is safe.

Not for: screens, which are told by their event loop (``tui.app``).
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

ENDING: Final = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextmanager
def signals_noted() -> Iterator[list[int]]:
    """Signals that would end us are only noted.

    An exception in the middle of a poll would lose events, in the middle of a frame the terminal's state.
    """
    seen: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (the signature of a handler)
        seen.append(number)

    before = {number: signal.signal(number, note) for number in ENDING}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
