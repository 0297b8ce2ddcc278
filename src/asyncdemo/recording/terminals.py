"""Terminals that a script gets into its hands: ours, whose settings are put back, and one of its own.

Not for drawing, nor for asking what a terminal can show: ``cli.terminal`` does that.
"""

from __future__ import annotations

import contextlib
import os
import pty
import termios
import tty
from collections.abc import Iterable
from typing import Any


class Settings:
    """The settings of the terminals that a script gets, to be restored after it.

    Of others they must not be: whoever has the terminal meanwhile may have changed them.
    """

    def __init__(self, descriptors: Iterable[int] = range(3)) -> None:
        self._before = {descriptor: found for descriptor in descriptors if (found := _settings(descriptor))}

    def restore(self) -> None:
        """Put back what differs; nothing in the background, where it would stop us."""
        for descriptor, before in self._before.items():
            now = _settings(descriptor)
            if now is not None and now != before and _in_foreground(descriptor):
                with contextlib.suppress(termios.error):
                    termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def open_terminal() -> tuple[int, int]:
    """(readable, writable): a terminal, so that the script writes line by line."""
    readable, writable = pty.openpty()
    with contextlib.suppress(termios.error):
        tty.setraw(writable)
    return readable, writable


def _settings(descriptor: int) -> list[Any] | None:
    """None where there is no terminal."""
    try:
        return termios.tcgetattr(descriptor)
    except (termios.error, OSError):
        return None


def _in_foreground(descriptor: int) -> bool:
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:  # not the terminal that controls us: nobody stops us
        return True
