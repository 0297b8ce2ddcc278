"""Runs in one of the export formats."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from asyncdemo.model import Run
from asyncdemo.render.html.page import render_html
from asyncdemo.render.perfetto import render_perfetto
from asyncdemo.render.svg.picture import render_svg


class Export(StrEnum):
    SVG = "svg"
    HTML = "html"
    PERFETTO = "perfetto"


_TEXTS = {Export.SVG: render_svg, Export.HTML: render_html}


def render_bytes(runs: Sequence[Run], to: Export) -> bytes:
    if to is Export.PERFETTO:
        return render_perfetto(runs)
    # A lone surrogate from a script must not cost the whole file.
    return _TEXTS[to](runs).encode("utf-8", "backslashreplace")
