"""The application's output to its terminal.

Not here: what it writes (Textual), or what it does when the terminal goes away (see ``app``).
"""

from __future__ import annotations

from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


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
