"""Runs the command line on a terminal."""

from __future__ import annotations

import codecs
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte

from tests.cli.commands import asyncdemo_command, environment

# Only a session's first process can take a terminal as the one that controls it.
_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A command whose stdin, stdout and stderr are one terminal."""

    def __init__(
        self,
        *arguments: str | Path,
        size: tuple[int, int] = (100, 40),
        cwd: Path | None = None,
        module: str = "asyncdemo",
        **variables: str,
    ) -> None:
        """size: columns and lines. module: that is the command."""
        self.text = ""
        self.pid = 0
        self._shown = pyte.Screen(*size)
        self._drawing = pyte.Stream(self._shown)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._seen = 0
        self._keyboard, self._screen = pty.openpty()
        termios.tcsetwinsize(self._screen, size[::-1])
        self._process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *asyncdemo_command(*arguments, module=module)],
            cwd=cwd,
            env=environment(**variables),
            stdin=self._screen,
            stdout=self._screen,
            stderr=self._screen,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._keyboard)
        os.close(self._screen)

    def type(self, keys: str) -> None:
        os.write(self._keyboard, keys.encode(errors="surrogateescape"))

    def resize(self, columns: int, lines: int) -> None:
        self._shown.resize(lines, columns)
        termios.tcsetwinsize(self._screen, (lines, columns))

    @property
    def lines(self) -> list[str]:
        """What one sees now."""
        return [line.rstrip() for line in self._shown.display]

    def wait_to_see(self, words: str) -> None:
        """Until the words stand on the screen, wherever and since whenever."""
        self._read_until(lambda: any(words in line for line in self.lines), f"{words!r} on the screen")

    def wait_until(self, met: Callable[[], bool]) -> None:
        """Until something is so, reading what is written."""
        self._read_until(met, "something that did not happen")

    def wait_for(self, words: str) -> None:
        """Until the words were written, after what was waited for before."""
        self._read_until(lambda: words in self.text[self._seen :], f"{words!r}")
        self._seen = self.text.index(words, self._seen) + len(words)

    def end(self) -> int:
        """Reads all the rest; returns the exit code."""
        self._read_until(lambda: self._process.poll() is not None, "the end")
        while self._read(0.1):
            pass
        return self._process.wait()

    def shows_keys(self) -> bool:
        return bool(termios.tcgetattr(self._screen)[3] & termios.ECHO)

    def _read_until(self, met: Callable[[], bool], what: str) -> None:
        limit = time.monotonic() + 60
        while not met():
            if time.monotonic() > limit:
                raise TimeoutError(f"waited for {what} and got: {self.text}")
            self._read(0.05)

    def _read(self, timeout_s: float) -> bool:
        if not select.select([self._keyboard], [], [], timeout_s)[0]:
            return False
        data = os.read(self._keyboard, 65536)
        text = self._decoder.decode(data)
        self.text += text
        self._drawing.feed(text)
        return bool(data)
