"""Terminals that a script uses: ours, whose settings are restored, and one of its own."""

from __future__ import annotations

import contextlib
import os
import termios
import tty
from collections.abc import Iterable
from typing import Any


class Settings:
    """The settings of the terminals that a script gets, to restore them afterwards.

    Those of other terminals must not be restored: their current user may have changed them.
    """

    def __init__(self, descriptors: Iterable[int] = range(3)) -> None:
        self._before = {descriptor: found for descriptor in descriptors if (found := _settings(descriptor))}

    def restore(self) -> None:
        """Restore settings that differ; not in the background, where that would stop us."""
        for descriptor, before in self._before.items():
            now = _settings(descriptor)
            if now is not None and now != before and _in_foreground(descriptor):
                with contextlib.suppress(termios.error):
                    termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


_SIZE = (24, 80)
"""Rows and columns of a script's terminal if we have none."""


def terminal_size() -> tuple[int, int]:
    """Return rows and columns of our terminal."""
    for descriptor in (1, 2, 0):
        with contextlib.suppress(termios.error, OSError):
            size = termios.tcgetwinsize(descriptor)
            if all(size):
                return size
    return _SIZE


def set_size(descriptor: int, size: tuple[int, int]) -> None:
    with contextlib.suppress(termios.error, OSError):
        termios.tcsetwinsize(descriptor, size)


def open_terminal() -> tuple[int, int]:
    """Return (readable, writable) of a new terminal, which makes the script write line by line."""
    readable, writable = os.openpty()  # pty.openpty hides why there is none
    with contextlib.suppress(termios.error):
        tty.setraw(writable)
    return readable, writable


def in_foreground() -> bool:
    """Return whether our terminal sends us its signals, if there is one. If not, somebody else sent them."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return _in_foreground(descriptor)
    finally:
        os.close(descriptor)


def _settings(descriptor: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(descriptor)
    except (termios.error, OSError):
        return None


def _in_foreground(descriptor: int) -> bool:
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:  # not our controlling terminal, so it will not stop us
        return True
