"""Standard output and standard error of a command: closed, on a full disk, or without a reader.

An output that fails never ends a command. What it runs goes on, its files are written, and it decides its
exit code as usual; at the end, a line on standard error says that there was more to read.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import starmap
from typing import TYPE_CHECKING, Final, TextIO

import click

from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STREAMS: Final = {"stdout": 1, "stderr": 2}
_CLOSED: Final = "standard output is closed"


class _Target(io.FileIO):
    """A descriptor whose first error is kept as ``trouble``; whatever is written after that is dropped."""

    def __init__(self, descriptor: int, trouble: str = "") -> None:
        """``trouble``: why nothing can be written. It is only of interest once something is."""
        super().__init__(descriptor, "w", closefd=False)
        self._write = super().write
        self._written: list[int | None] = []
        """What the last call wrote. If it was interrupted, the next one has the same data."""
        self._returned = False
        self._known = trouble
        self.trouble = ""
        self.reader_left = False
        self.dropping = False

    def write(self, data: ReadableBuffer, /) -> int:
        size = memoryview(data).nbytes
        if self._known:
            self.trouble = self._known
        if self._returned:
            self._written.clear()
            self._returned = False
        try:
            while True:
                if self._written and self._written[0] is not None:
                    self._returned = True  # from here on no call, after which a signal handler could raise
                    return self._written[0]
                if self.trouble or self.dropping:
                    return size
                if self._written:  # somebody else has made the descriptor non-blocking
                    self._written.clear()
                    select.select([], [self], [])
                # in one call in C: what was written is known, even if a signal handler raises right after
                self._written.extend(starmap(self._write, ((data,),)))
        except OSError as error:
            self.trouble = (error.strerror or str(error)).lower()
            self.reader_left = error.errno == errno.EPIPE
            return size


class Output:
    """This process's output while a command runs.

    Attributes:
        has_verdict: Whether the exit code stands for more than the output. If not, the output is all that was
            wanted; and a reader who leaves early, such as ``head``, has enough.
    """

    def __init__(self) -> None:
        self.has_verdict = False
        closed = [descriptor for descriptor in range(3) if not _is_open(descriptor)]
        for descriptor in closed:
            # Otherwise, the next file that is opened gets this number, and output goes into it.
            if os.open(os.devnull, os.O_RDWR) == descriptor:
                os.set_inheritable(descriptor, True)
        self._targets = {
            name: _Target(number, _CLOSED if number in closed else "") for name, number in _STREAMS.items()
        }

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Replace the streams on these descriptors."""
        before = {name: getattr(sys, name) for name in _STREAMS}
        ours = {
            name: _stream(self._targets[name], before[name])
            for name, descriptor in _STREAMS.items()
            if before[name] is None or _descriptor(before[name]) == descriptor
        }
        for name, stream in ours.items():
            if before[name] is not None:
                with suppress(OSError):
                    before[name].flush()
            setattr(sys, name, stream)
        try:
            yield
        finally:
            for name, stream in ours.items():
                stream.flush()
                setattr(sys, name, before[name])

    def drop(self) -> None:
        """Drop what has not been written yet: the user wants to leave, and a reader may not read on."""
        for target in self._targets.values():
            target.dropping = True

    def conclude(self, code: int) -> int:
        """Say if not all of the output was written, and return the exit code, given that of the command."""
        if code == EXIT_INTERRUPTED and not has_room():
            self.drop()
        sys.stdout.flush()
        target = self._targets["stdout"]
        if not target.trouble or (target.reader_left and not self.has_verdict):
            return code
        what = "The rest of the output" if target.reader_left else "The output"
        print(f"asyncdemo: {what} was not written: {target.trouble}.", file=sys.stderr)
        return code if code or self.has_verdict else EXIT_FAILED

    @property
    def has_reader(self) -> bool:
        return not self._targets["stdout"].trouble


def has_room() -> bool:
    """Return whether some more output can be written without waiting for a reader."""
    try:
        return bool(select.select([], [sys.stdout], [], 0)[1])
    except (OSError, ValueError, TypeError):  # no descriptor, so nobody to wait for
        return True


def say_last(words: str, *, err: bool = False) -> None:
    """Print a line if there is room for it: the user wants to leave."""
    if err or has_room():
        click.echo(words, err=err)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError):  # not a file, or closed
        return None


def _stream(target: _Target, before: TextIO | None) -> io.TextIOWrapper:
    encoding = "utf-8" if before is None else before.encoding
    # What an encoding can't represent is escaped.
    return io.TextIOWrapper(
        io.BufferedWriter(target), encoding, "backslashreplace", line_buffering=target.isatty()
    )
