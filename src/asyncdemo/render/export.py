"""Runs in one of the formats of a file, and written to it: all of it or nothing."""

from __future__ import annotations

import contextlib
import gzip
import os
import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from asyncdemo.errors import UsageError
from asyncdemo.model import Run
from asyncdemo.render.html.page import render_html
from asyncdemo.render.perfetto.trace import render_perfetto
from asyncdemo.render.svg.picture import render_svg
from asyncdemo.render.text.csv_table import render_csv

_LARGE = 4_000_000


class Export(StrEnum):
    SVG = "svg"
    HTML = "html"
    PERFETTO = "perfetto"
    CSV = "csv"


def render_bytes(runs: Sequence[Run], to: Export | str) -> bytes:
    """The content of the file, not compressed. Raises UsageError if the format is unknown."""
    match to:
        case Export.SVG:
            text = render_svg(runs)
        case Export.HTML:
            text = render_html(runs)
        case Export.CSV:
            text = render_csv(runs)
        case Export.PERFETTO:
            return render_perfetto(runs)
        case _:
            raise UsageError(f"there is no export to {to!r}: choose one of {', '.join(Export)}")
    # What a script made of half a surrogate pair must not cost the whole file.
    return text.encode("utf-8", "backslashreplace")


def export(runs: Sequence[Run], to: Export | str, path: Path) -> Path:
    """Write ``runs`` as ``to`` and return the file written.

    A trace for Perfetto that is large is compressed, and gets the ending .gz if it has not got it;
    so is one whose path ends so. Raises UsageError if the format is unknown or the file cannot be
    written.
    """
    content = render_bytes(runs, to)
    if to == Export.PERFETTO and (path.suffix == ".gz" or len(content) > _LARGE):
        # Without a time stamp the same runs give the same file.
        content = gzip.compress(content, mtime=0)
        path = path if path.suffix == ".gz" else path.with_name(path.name + ".gz")
    try:
        _write(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def _write(path: Path, content: bytes) -> None:
    """First to a file beside it, so that an interruption leaves the old one or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, _mode(path))
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _mode(path: Path) -> int:
    """The rights of the file that is replaced, else those of any new file."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
