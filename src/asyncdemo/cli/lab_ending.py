"""Ctrl-C while something is measured: the first ends it in order, the second immediately.

Where the protocol asks whether it shall end, a signal is only noted. Where it does not ask, while a server
starts or a database is set up, the signal is an exception, and everything that was started is stopped on its
way. Not for: pictures that hold the terminal (``signals``).
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any, Self

from asyncdemo.cli.signals import ENDING
from asyncdemo.errors import EXIT_INTERRUPTED


class Ending:
    """A context manager. asked: a signal came. polled: somebody asks for it all the time."""

    def __init__(self) -> None:
        self.asked = False
        self.polled = False
        self._last = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self) for number in ENDING}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (of every handler)
        if self._last:
            os._exit(EXIT_INTERRUPTED)  # what guards the servers ends them
        if self.asked:
            self._last = True
            raise SystemExit(EXIT_INTERRUPTED)
        self.asked = True
        if not self.polled:
            raise KeyboardInterrupt
