"""The built site in one file, for a room without internet: unpacked, it opens from the disk.

The file is the same, bit by bit, for the same site. Not for: building the site, or the wheel that carries it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from asyncdemo.errors import MissingError

__all__ = ["files_to_carry", "pack", "write_offline_index"]

SITE: Final = Path("site")
ARCHIVE: Final = Path("dist/asyncdemo-docs.zip")
_FOLDER: Final = "asyncdemo-docs"
"""What the archive unpacks to."""
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can say."""
_LEFT_OUT: Final = ("*.map", "sitemap.xml", "sitemap.xml.gz")
"""For those who mend the theme's scripts, and for search engines, with the day of the build in it."""


def pack(site: Path = SITE, archive: Path = ARCHIVE) -> None:
    """Writes the archive. Raises MissingError if the site is not built."""
    write_offline_index(site)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(archive, "w", ZIP_DEFLATED, compresslevel=9) as packed:
        for file in files_to_carry(site):
            entry = ZipInfo(f"{_FOLDER}/{file.relative_to(site).as_posix()}", _NO_TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # Unix on every system, for the permissions
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, file.read_bytes())


def write_offline_index(site: Path) -> None:
    """The index of the search also as a script: a page from ``file://`` may load nothing else."""
    index = site / "search" / "search_index.json"
    if not index.is_file():
        raise MissingError(f"There is no built site in {site}: make docs")
    data = index.read_text(encoding="utf-8")
    index.with_suffix(".js").write_text(f"var __index = {data}", encoding="utf-8")


def files_to_carry(site: Path) -> Iterator[Path]:
    """In the order of their paths."""
    for file in sorted(site.rglob("*"), key=lambda path: path.relative_to(site).as_posix()):
        if file.is_file() and not any(file.match(pattern) for pattern in _LEFT_OUT):
            yield file
