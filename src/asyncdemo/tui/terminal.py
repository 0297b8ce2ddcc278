"""What is written to the terminal: nothing if it has gone away, plain characters, or no colours."""

from __future__ import annotations

import os
import signal
import threading
import time
import unicodedata
from contextlib import suppress
from functools import lru_cache
from typing import IO, Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.message import Message

from asyncdemo.tui.leaving import PATIENCE_S

_STANDS_OUT = 0.12
_MUTED = 0.55
"""Contrast, from 0 to 1: a background against the screen, or grey text against its background."""
_GREY = 20
"""The maximum difference between the channels of a grey."""
_LEAVE = ("q", "ctrl+c")
_POLL_S = 0.1
_LIKE = dict(zip("…•·✓✗→←↑↓▶▼", "~*.+x><^v>v", strict=True))


class AsciiFilter(LineFilter):
    """Replaces every non-ASCII character by an ASCII one of the same width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else segment._replace(text=_ascii(segment.text))
            for segment in segments
        ]


@lru_cache(4096)
def _ascii(text: str) -> str:
    return "".join(character if character.isascii() else _one(character) for character in text)


def _one(character: str) -> str:
    name = unicodedata.name(character, "")
    width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
    if character in _LIKE:
        return _LIKE[character]
    if name.startswith("BOX DRAWINGS"):
        up_and_across = (
            ("VERTICAL" in name or "UP" in name or "DOWN" in name),
            ("HORIZONTAL" in name or "LEFT" in name or "RIGHT" in name),
        )
        return {(True, False): "|", (False, True): "-"}.get(up_and_across, "+")
    if "BLOCK" in name or "BRAILLE" in name:
        return "#" if "FULL" in name or "EIGHTHS" in name else "="
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return (plain or "?").ljust(width)[:width]


class NoColorFilter(LineFilter):
    """Turns a background that stands out into reverse, grey text into dim, and drops other colours.

    Textual's own version for NO_COLOR leaves greys.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and _without_color(style, background), None) for text, style, _ in segments
        ]


@lru_cache(4096)
def _without_color(style: Style, screen: Color) -> Style:
    behind = Color.from_rich_color(style.bgcolor) if style.bgcolor else screen
    stands_out = abs(behind.brightness - screen.brightness) > _STANDS_OUT
    text = Color.from_rich_color(style.color) if style.color else None
    is_grey = text is not None and max(text.rgb) - min(text.rgb) < _GREY
    muted = text is not None and is_grey and abs(text.brightness - behind.brightness) < _MUTED
    return style.without_color + Style(reverse=stands_out or style.reverse, dim=muted or style.dim)


class TerminalOutput:
    """A terminal's file that ignores errors if the terminal has gone away.

    Such an error would end Textual's writer thread. Its queue has room for 30 writes: the next one would
    block for ever, and no signal would be handled.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()


class TerminalDriver(LinuxDriver):
    """Textual's driver for Linux and macOS, with this output."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = TerminalOutput(self._file)
        self._started = self._continuing = False

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._started = not self._must_signal_resume  # if so, we are still in the background

    def stop_application_mode(self) -> None:
        self._started = False
        super().stop_application_mode()

    def _sigcont_application(self, *_: object) -> None:
        """Go on after a stop, once.

        Two threads that read keys, or one that reads them after the end, would keep the process alive. For
        SIGSTOP, unlike SIGTSTP, nothing was suspended.
        """
        if self._continuing or not self._loop.is_running():
            return
        self._continuing = True
        try:
            if self._started:
                self.suspend_application_mode()
                self._must_signal_resume = True
            if self._must_signal_resume:
                super()._sigcont_application()
        finally:
            self._continuing = False

    def run_input_thread(self) -> None:
        """Read keys. What is not UTF-8, as from a terminal in another encoding, is dropped with its block."""
        while not self.exit_event.is_set():
            with suppress(UnicodeDecodeError):
                super().run_input_thread()

    def process_message(self, message: Message) -> None:
        """Pass on the message, in the thread that reads keys; one to leave by also as a signal if need be."""
        super().process_message(message)
        if isinstance(message, events.Key) and message.key in _LEAVE:
            answered = threading.Event()
            self._loop.call_soon_threadsafe(answered.set)
            limit_s = time.monotonic() + PATIENCE_S
            while not answered.wait(_POLL_S) and not self.exit_event.is_set():
                if time.monotonic() > limit_s:
                    os.kill(os.getpid(), signal.SIGINT)
                    return
