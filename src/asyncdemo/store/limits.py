"""How large a recorded run may be, so that a small file can't take a machine's memory.

A gzipped file can hold a thousand times its size, and JSON's shortest values become objects of fifty times
theirs. The recorder keeps at most two million spans and two million wakes, ten million values.
"""

from __future__ import annotations

from typing import Final

from asyncdemo.errors import RunFileError

MOST_BYTES: Final = 400_000_000
"""Unpacked. A line is only in memory while it is read, but texts stay as they are."""
MOST_VALUES: Final = 20_000_000
"""Numbers, texts, lists, objects and lines. One takes about 60 bytes in memory."""
LONGEST_LINE: Final = 64_000_000
_VALUES_A_LINE: Final = 6_000_000
"""A track's spans are on one line, two values each."""
MOST_SHOWN: Final = 30_000_000
"""Spans in the lanes. The file has them only once, however many lanes show them."""


class Size:
    """The size of a file that is being read or written. ``name`` is what to call it in messages."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bytes = self._values = 0

    def add(self, line: str | bytes, number: int) -> None:
        """Add a line before it is parsed. Raises RunFileError if that is too much."""
        values = _values(line)
        self._bytes += len(line)
        self._values += values
        if len(line) > LONGEST_LINE or values > _VALUES_A_LINE:
            raise self._too_large(f"line {number} alone")
        if self._bytes > MOST_BYTES:
            raise self._too_large(f"more than {MOST_BYTES // 1_000_000} MB when unpacked")
        if self._values > MOST_VALUES:
            raise self._too_large(f"more than {MOST_VALUES // 1_000_000} million values")

    def _too_large(self, why: str) -> RunFileError:
        return RunFileError(
            f"{self._name} is too large for a recorded run: {why}. Record a shorter run, or fewer tasks."
        )


def _values(line: str | bytes) -> int:
    """Return at least the number of values of a line of JSON: separators in texts count, too."""
    if isinstance(line, str):
        return 1 + sum(line.count(mark) for mark in ",[{")
    return 1 + sum(line.count(mark) for mark in (b",", b"[", b"{"))
