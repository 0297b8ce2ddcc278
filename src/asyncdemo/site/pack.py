"""Packs the built site: as one file for a room without internet, and within the wheel.

Unpacked, it opens from disk. For the same site, the file is the same, bit by bit.
Not here: building the site.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from asyncdemo.errors import MissingError

SITE: Final = Path("site")
ARCHIVE: Final = Path("dist/asyncdemo-docs.zip")
_FOLDER: Final = "asyncdemo-docs"
"""The folder in the archive."""
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time in a zip file."""
_STAYS: Final = ("*.map", "sitemap.xml.gz")
"""Not packed: for debugging the theme's scripts, and a copy that contains the build time."""


def pack(site: Path = SITE, archive: Path = ARCHIVE) -> None:
    """Remove unneeded files from the site, add what a page from disk needs, and write the archive.

    Raises MissingError if the site is not built.
    """
    _write_offline_index(site)
    for pattern in _STAYS:
        for file in site.rglob(pattern):
            file.unlink()
    sitemap = site / "sitemap.xml"
    if sitemap.is_file() and "<loc>http" not in sitemap.read_text(encoding="utf-8"):
        sitemap.unlink()  # the site was built without an address
    archive.parent.mkdir(parents=True, exist_ok=True)
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    with ZipFile(archive, "w", ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(files):
            entry = ZipInfo(f"{_FOLDER}/{name}", _NO_TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # Unix on every system, for the permissions
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, files[name].read_bytes())


def _write_offline_index(site: Path) -> None:
    """Write the search index also as a script: pages from ``file://`` can load nothing else."""
    index = site / "search" / "search_index.json"
    if not index.is_file():
        raise MissingError(f"There is no built site in {site}: make docs")
    data = index.read_text(encoding="utf-8")
    index.with_suffix(".js").write_text(f"var __index = {data}", encoding="utf-8")
