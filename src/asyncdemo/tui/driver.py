"""How the application writes to its terminal.

Not for: what it writes (Textual), nor what it does when the terminal goes away (``app``).
"""

from __future__ import annotations

from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


class TerminalOutput:
    """A terminal's file, to which writing is no error when the terminal has gone away.

    Textual's thread that writes would end with such an error. Its queue has room for 30 writes: whoever makes
    the next one would wait for ever, deaf to every signal.
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
    """Textual's, for Linux and macOS, with such an output."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = TerminalOutput(self._file)
