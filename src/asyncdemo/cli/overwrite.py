"""Which files a command may overwrite: those that it could have written itself.

A mistyped ``--save script.py`` must not cost the script.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from asyncdemo.bounded import open_regular
from asyncdemo.course.workspace import files
from asyncdemo.errors import UsageError

_HEAD: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"asyncdemo\.run/')
_ENOUGH: Final = 512
_ENDINGS: Final[dict[str, tuple[str, ...]]] = {
    "svg": (".svg",),
    "html": (".html", ".htm"),
    "perfetto": (".json", ".json.gz"),
}


def check_recording(file: Path, option: str) -> None:
    """Raises UsageError if ``file`` exists and is not a recording. ``option``: as typed, for the message."""
    if _holds_something(file, option) and not is_recording(file):
        raise UsageError(f"{option}: {file} already exists and is not a recording. {_ADVICE}")


def check_export(file: Path, kind: str, sources: Sequence[Path], option: str) -> None:
    """Raises UsageError if ``file`` exists without the ending of a ``kind`` export, or is a recording.

    ``sources`` are the exported recordings.
    """
    # A large trace for Perfetto is compressed, and then ends in .gz.
    for target in [file, file.with_name(file.name + ".gz")] if kind == "perfetto" else [file]:
        if not _holds_something(target, option):
            continue
        if is_recording(target) or any(target.samefile(source) for source in sources):
            raise UsageError(f"{option}: {target} is a recording. {_ADVICE}")
        if not target.name.lower().endswith(_ENDINGS[kind]):
            ending = _ENDINGS[kind][0]
            raise UsageError(f"{option}: {target} already exists and does not end in {ending}. {_ADVICE}")


def check_table(file: Path, head: bytes, option: str) -> None:
    """Raises UsageError if ``file`` exists without beginning as such a table, or can't be written."""
    with explain_unwritable(file):
        if _holds_something(file, option) and not _begin_of(file, len(head)).startswith(head):
            raise UsageError(f"{option}: {file} already exists and is not such a table. {_ADVICE}")
        files.discard(files.draft(file.parent, b""))


@contextmanager
def explain_unwritable(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"Cannot write {file}: {error.strerror or error}.") from error


def is_recording(file: Path) -> bool:
    """Return whether the file begins like a recorded run of any version."""
    try:
        head = _begin_of(file, _ENOUGH)
        if head.startswith(b"\x1f\x8b"):
            head = zlib.decompressobj(wbits=31).decompress(head)
    except (OSError, zlib.error):
        return False
    return _HEAD.match(head) is not None


def _begin_of(file: Path, size: int) -> bytes:
    """Return the first bytes of a regular file. Raises OSError."""
    with open_regular(file) as opened:
        return opened.read(size)


_ADVICE: Final = "Choose another name, or remove that file first."


def _holds_something(file: Path, option: str) -> bool:
    """Return whether the file has content to lose."""
    if not file.exists():
        return False
    if not file.is_file():
        raise UsageError(f"{option}: {file} is not a regular file. Choose another name.")
    return file.stat().st_size > 0
