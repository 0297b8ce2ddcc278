"""Writes runs to a file in one of the export formats, atomically."""

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
from asyncdemo.render.perfetto import render_perfetto
from asyncdemo.render.svg.picture import render_svg
from asyncdemo.render.text.csv_table import render_csv

_LARGE = 4_000_000


class Export(StrEnum):
    SVG = "svg"
    HTML = "html"
    PERFETTO = "perfetto"
    CSV = "csv"


def render_bytes(runs: Sequence[Run], to: Export | str) -> bytes:
    """Return the content of the file, uncompressed. Raises UsageError if the format is unknown."""
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
    # A lone surrogate from a script must not cost the whole file.
    return text.encode("utf-8", "backslashreplace")


def export(runs: Sequence[Run], to: Export | str, path: Path) -> Path:
    """Write ``runs`` as ``to`` and return the file written.

    A large trace for Perfetto is compressed, and gets the suffix .gz if it lacks one. So is a trace whose
    path already ends in .gz. Raises UsageError if the format is unknown or the file can't be written.
    """
    content = render_bytes(runs, to)
    if to == Export.PERFETTO and (path.suffix == ".gz" or len(content) > _LARGE):
        # Without a time stamp, the same runs give the same file.
        content = gzip.compress(content, mtime=0)
        path = path if path.suffix == ".gz" else path.with_name(path.name + ".gz")
    try:
        _write(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def _write(path: Path, content: bytes) -> None:
    """Write a temporary file first, so that an interruption leaves either the old file or the new one."""
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
    """Return the mode of the file that is replaced, or else the default for new files."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
