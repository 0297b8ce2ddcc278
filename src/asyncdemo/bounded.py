"""Read files that somebody else may have made: regular files only, and never more than a limit.

A name can be that of a FIFO, which blocks its reader, or of a device without an end, and a few
kilobytes of gzip can stand for gigabytes.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

GZIP: Final = b"\x1f\x8b"
"""How gzipped data begins."""
_BLOCK: Final = 1 << 16
_LARGEST_SOURCE: Final = 4_000_000


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a regular file for reading, and return immediately if it is something else.

    Raises:
        OSError: If it can't be opened, or is a folder, a FIFO, a device or a socket.
    """
    # Opening a FIFO without O_NONBLOCK waits for a writer. Regular files ignore it.
    return _regular(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), path)


def _regular(descriptor: int, path: str | os.PathLike[str]) -> io.BufferedReader:
    """Return the file, which closes the descriptor. Raises OSError if it isn't regular."""
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes.

    Raises:
        OSError: If it can't be read, is no regular file, or is larger.
    """
    with open_regular(path) as file:
        return _at_most(file, most, path)


def read_inside(folder: Path, place: str, most: int) -> bytes:
    """Return the content of a regular file in the folder, at a path with slashes, without following a link.

    Raises:
        OSError: If it can't be read, is no regular file, is larger, or a part of the path is a link.
        ValueError: If the path leads out of the folder, or can't be one.
    """
    parts = place.split("/")
    if not all(parts) or {".", ".."}.intersection(parts):
        raise ValueError(f"{place!r} is no path in a folder")
    kind = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
    parent = os.open(folder, kind | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, kind | os.O_DIRECTORY, dir_fd=parent)
            os.close(parent)
            parent = inner
        with _regular(os.open(parts[-1], kind, dir_fd=parent), place) as file:
            return _at_most(file, most, place)
    finally:
        os.close(parent)


def read_text(path: str | os.PathLike[str], most: int, errors: str = "strict") -> str:
    """Return the content of a regular file in UTF-8, with ``\\n`` as line ends.

    Args:
        path: The file.
        most: The most bytes that are read.
        errors: What to do with bytes that are not UTF-8, as for ``open``.

    Raises:
        OSError: If it can't be read, is no regular file, or is larger.
        UnicodeDecodeError: If it is not UTF-8.
    """
    return io.TextIOWrapper(io.BytesIO(read_bytes(path, most)), "utf-8", errors).read()


def source_lines(path: str) -> Sequence[str]:
    """Return the lines of Python source, with their ends; none if it can't be read or is larger than 4 MB.

    Not by ``linecache``: a traced script may give its code any file name, such as that of a FIFO.
    """
    try:
        found = os.stat(path)
        return _source_lines(path, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError):
        return ()


def source_line(path: str, number: int) -> str:
    """Return one line of Python source, counted from 1; "" if there is none."""
    lines = source_lines(path)
    return lines[number - 1] if 1 <= number <= len(lines) else ""


@lru_cache(maxsize=32)
def _source_lines(path: str, *version: int) -> Sequence[str]:  # noqa: ARG001 - a changed file is read again
    import tokenize  # here, because `asyncdemo list` reads no such files

    data = io.BytesIO(read_bytes(path, _LARGEST_SOURCE))
    try:
        encoding = tokenize.detect_encoding(data.readline)[0]
    except SyntaxError:
        return ()
    data.seek(0)
    return io.TextIOWrapper(data, encoding=encoding).readlines()


def read_unpacked(path: Path, most: int) -> bytes:
    """Return the content of a regular file, unpacked if it is gzipped, of at most ``most`` bytes.

    Raises:
        OSError: If it can't be read, is no regular file, is larger, or its gzip data is damaged.
    """
    import gzip  # here, because `asyncdemo list` reads no such files
    import zlib

    with open_regular(path) as file:
        if not file.peek(len(GZIP)).startswith(GZIP):
            return _at_most(file, most, path)
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                return _at_most(unpacked, most, path)
        except (EOFError, zlib.error) as error:
            raise OSError(errno.EINVAL, f"Damaged: {error}", os.fspath(path)) from error


def _at_most(file: io.BufferedIOBase, most: int, path: str | os.PathLike[str]) -> bytes:
    """Return the rest of the file. In blocks: asked for ``most`` bytes, a reader would reserve them."""
    data = bytearray()
    while block := file.read(_BLOCK):
        data += block
        if len(data) > most:
            raise OSError(errno.EFBIG, f"Larger than {most / 1e6:g} MB", os.fspath(path))
    return bytes(data)
