"""Unpacks each published record, and writes its report as a standalone page beside it.

Both are made anew each time the site is built, and not kept: the published record is compressed.
Not here: the report within a page of the site (see ``measure``), or drawing it (see ``render.lab``).
"""

from __future__ import annotations

import gzip
from pathlib import Path

from asyncdemo.lab.results.record import load_record
from asyncdemo.render.lab.page import render_page


def write_reports(folder: Path) -> None:
    """Write them for the records in a folder. Raises LabFileError."""
    for path in sorted(folder.glob("*.json.gz")):
        page = render_page(load_record(path))
        record = path.with_suffix("")
        record.write_bytes(gzip.decompress(path.read_bytes()))
        record.with_suffix(".html").write_text(page, encoding="utf-8")
