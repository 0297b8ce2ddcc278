"""Single key presses, by name, while a command has the terminal to itself.

Not for: lines of text (``input`` does that), or what a key means to a command.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
import termios
import time
import tty
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from asyncdemo.recording.polling import readable

__all__ = ["CLOSED", "Keys", "next_key"]

CLOSED = "closed"
"""In the place of a key: the terminal is gone, nothing will ever come."""

_NAMES = {
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x04": "ctrl-d",
    "\x1b": "escape",
}
_ENDINGS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "M": "enter"}
_NUMBERS = {"1": "home", "3": "delete", "4": "end", "5": "page_up", "6": "page_down", "7": "home", "8": "end"}
_SEQUENCE = re.compile(r"\x1b(?:\[(?P<number>[0-9;]*)(?P<ending>[A-Za-z~])|O(?P<single>[A-Za-z]))")
_BEGUN = re.compile(r"\x1b(?:\[[0-9;]*|O)?")
_REST_S = 0.05
"""A terminal sends the rest of a sequence at once; after this long a lone Escape is the key."""


def next_key(typed: str) -> tuple[str | None, str]:
    """The first key of what a terminal sent, and the rest. None: what stood there is no key we know.

    A printable character is its own name; others are "enter", "escape", "left", "page_down" and so on.
    """
    sequence = _SEQUENCE.match(typed)
    if sequence:
        rest = typed[sequence.end() :]
        if sequence["ending"] == "~":
            return _NUMBERS.get(sequence["number"].partition(";")[0]), rest
        return _ENDINGS.get(sequence["ending"] or sequence["single"]), rest
    first, rest = typed[0], typed[1:]
    return _NAMES.get(first, first if first.isprintable() else None), rest


class Keys:
    """A context manager: inside it keys come at once and are not shown. Ctrl-C is still a signal.

    Needs a terminal on stdin; the caller asks first (``terminal.can_ask``).
    """

    def __init__(self) -> None:
        self._before: list[Any] | None = None
        self._typed = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def __enter__(self) -> Self:
        self.resume()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.suspend()

    def suspend(self) -> None:
        """The terminal as it was before, for somebody else. May be called twice."""
        if self._before is not None:
            before, self._before = self._before, None
            with contextlib.suppress(termios.error):  # the terminal may be gone
                # What was typed and not read was meant for us, not for the shell.
                termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, before)

    def resume(self) -> None:
        """After ``suspend``: keys come at once again. What was typed ahead was meant for somebody else."""
        if self._before is None:
            with contextlib.suppress(termios.error):  # the terminal may be gone: ``read`` will say so
                self._before = termios.tcgetattr(sys.stdin)
                tty.setcbreak(sys.stdin, termios.TCSAFLUSH)

    def read(self, timeout_s: float, also: Sequence[int] = ()) -> str | None:
        """The next key, as ``next_key`` names it; None if there is none in time.

        also: descriptors; as soon as one is readable nothing is waited for.
        """
        end_s = time.monotonic() + timeout_s
        while True:
            while self._typed and not self._more_may_come():
                key, self._typed = next_key(self._typed)
                if key is not None:
                    return key
            # The rest of a sequence is waited for also by someone who only looks.
            limit_s = _REST_S if self._typed else max(end_s - time.monotonic(), 0)
            arrived = self._arrived(limit_s, () if self._typed else also)
            if arrived is None:
                return CLOSED
            if not arrived and self._typed:
                first, self._typed = self._typed[0], self._typed[1:]
                return _NAMES[first]
            if not arrived and (also or time.monotonic() >= end_s):
                return None
            self._typed += arrived

    def forget(self) -> None:
        """Drop what was typed until now: it was meant for a screen that is gone."""
        while self.read(0) not in (None, CLOSED):
            pass

    def _more_may_come(self) -> bool:
        return _BEGUN.fullmatch(self._typed) is not None

    def _arrived(self, timeout_s: float, also: Sequence[int]) -> str | None:
        keyboard = sys.stdin.fileno()
        try:
            if keyboard not in readable([keyboard, *also], timeout_s):
                return ""
            data = os.read(keyboard, 1024)
        except OSError:  # the terminal's window was closed
            return None
        return self._decoder.decode(data) if data else None
