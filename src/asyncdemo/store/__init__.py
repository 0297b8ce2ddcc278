"""Recorded runs as files: ``asyncdemo.run/1``, JSON Lines, gzipped if the name ends in ``.gz``.

In short: one JSON object per line. The first is the header, with ``format`` and the fields of the whole
run; every other one has a ``type``. Times are integer nanoseconds on the run's clock; columns of times
hold differences. Records refer to each other by index and may come in any order. Fields at their
default are left out; unknown fields and types are skipped. The last record, ``end``, says how many
came before it, so that missing ones are noticed.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from asyncdemo.bounded import GZIP, open_regular
from asyncdemo.errors import RunFileError
from asyncdemo.model import Run
from asyncdemo.store.decode import loads
from asyncdemo.store.encode import FORMAT, dumps
from asyncdemo.store.limits import LONGEST_LINE, Size

__all__ = ["FORMAT", "dumps", "load", "loads", "save"]


def save(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run to a file, completely or not at all.

    Args:
        run: The recording.
        path: The file; it is gzipped if its name ends in ``.gz``.

    Raises:
        RunFileError: If it cannot be written, or would be too large to be read again.
    """
    target, size = Path(path), Size(f"The recording is not saved. {path}")
    lines = [f"{line}\n".encode("ascii") for line in dumps(run)]
    for number, line in enumerate(lines, 1):
        size.add(line, number)
    data = b"".join(lines)
    if target.name.endswith(".gz"):
        data = gzip.compress(data, compresslevel=6, mtime=0)
    try:
        _replace(target, data)
    except OSError as error:
        raise RunFileError(f"Cannot write {target}: {error.strerror or error}.") from error


def load(path: str | os.PathLike[str]) -> Run:
    """Read a run. If the file was cut off, return what it holds, with a note that says so.

    Args:
        path: The file, a regular one.

    Raises:
        RunFileError: If there is no such file, it is not a recorded run, or it is too large.
    """
    source = Path(path)
    try:
        return loads(_lines(source), str(source))
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RunFileError(f"{source} is damaged: {error}. Record the run again.") from error
    except OSError as error:
        raise RunFileError(f"Cannot read {source}: {error.strerror or error}.") from error


def _lines(source: Path) -> Iterator[bytes]:
    """Yield the lines, each cut at ``LONGEST_LINE``, so that no more of the file is ever in memory."""
    with open_regular(source) as file:
        if not file.peek(len(GZIP)).startswith(GZIP):
            yield from iter(lambda: file.readline(LONGEST_LINE + 1), b"")
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            try:
                yield from iter(lambda: unpacked.readline(LONGEST_LINE + 1), b"")
            except EOFError:  # cut off: ``loads`` notices what is missing at the end
                return


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:  # follows no link that somebody else has put there
            file.write(data)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
