"""The script of the page that opens run files: one piece, which asks for nothing and writes no HTML.

What it makes of a file is compared with Python in a browser (``tests/browser/test_run_files.py``).
"""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from asyncdemo.render.html.open_run import open_run_js
from asyncdemo.render.timeline.grid import Shade


def test_all_parts_are_in_it() -> None:
    script = open_run_js()
    parts = [
        part.read_text(encoding="utf-8")
        for part in files("asyncdemo.render.html").iterdir()
        if re.fullmatch(r"(run_\w+|open_run)\.js", part.name)
    ]
    assert len(parts) == 8
    assert all(part in script for part in parts)


@pytest.mark.parametrize(
    "word",
    [
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "sendBeacon",
        "import(",
        "://",
        "innerHTML",
        "insertAdjacentHTML",
    ],
)
def test_it_asks_for_nothing_and_takes_no_text_for_html(word: str) -> None:
    assert word not in open_run_js()


def test_its_shades_are_those_of_python() -> None:
    tables = re.search(r"^const TABLES = (\{.*\});$", open_run_js(), re.MULTILINE)
    assert tables is not None
    shades = json.loads(tables[1])["shades"]
    assert shades == {shade.name: int(shade) for shade in Shade}
