"""Our kept records, as the site shows them."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Final

from asyncdemo.lab.render.page import measure_css, report_html, verdict_html
from asyncdemo.lab.results.record import Record, load_record

RECORDS: Final = Path("docs/measure/records")
"""In the checkout, where the site is built."""


def load_kept(name: str) -> Record:
    return load_record(RECORDS / f"{name}.json.gz")


def part(name: str, show: str = "") -> str:
    """Return the report of a record: its "verdict", the "rest" below that, or by default all of it."""
    record = load_kept(name)
    if show == "verdict":
        return verdict_html(record)
    download = (
        f'<p><a href="records/{escape(name)}.json" download>The record</a>, with every trial and all '
        'latencies as histograms, as <a href="../reference/record-format.html">JSON</a>.</p>'
    )
    return report_html(record, download, begun=show == "rest")


def prepare() -> Mapping[str, bytes]:
    """Write each record uncompressed beside itself, for pages to link to. Return the site's assets."""
    for path in RECORDS.glob("*.json.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    return {"assets/measure.css": measure_css().encode()}
