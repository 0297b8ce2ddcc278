"""Beside each published record its report as one page that needs no site, made anew from the record.

Not for: the report within a page of the site (``measure``), or how it is drawn (``render.lab``).
"""

from __future__ import annotations

from pathlib import Path

from asyncdemo.lab.results.record_file import load_record
from asyncdemo.render.lab.page import render_page

__all__ = ["write_reports"]


def write_reports(folder: Path) -> None:
    """folder: of the records. Raises LabFileError."""
    for path in sorted(folder.glob("*.json")):
        path.with_suffix(".html").write_text(render_page(load_record(path)), encoding="utf-8")
