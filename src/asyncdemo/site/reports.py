"""Beside each published record, which is kept compressed: the record itself, and its report as one page that
needs no site. Made anew each time the site is built, and not kept.

Not for: the report within a page of the site (``measure``), or how it is drawn (``render.lab``).
"""

from __future__ import annotations

import gzip
from pathlib import Path

from asyncdemo.lab.results.record import load_record
from asyncdemo.render.lab.page import render_page


def write_reports(folder: Path) -> None:
    """folder: of the records. Raises LabFileError."""
    for path in sorted(folder.glob("*.json.gz")):
        page = render_page(load_record(path))
        record = path.with_suffix("")
        record.write_bytes(gzip.decompress(path.read_bytes()))
        record.with_suffix(".html").write_text(page, encoding="utf-8")
