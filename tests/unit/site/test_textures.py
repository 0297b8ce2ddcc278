"""The tables of states look like the pictures, and say what every state means that a view can show."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import pytest

from asyncdemo.render.svg.textures import CLASSES, HEIGHTS
from asyncdemo.render.terminal.theme import ASCII, COLOURS, UNICODE
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.site.textures import fence

DOCS = Path(__file__).resolve().parents[3] / "docs"
STATES = [Shade.RUNNING, Shade.READY, Shade.WAITING, Shade.QUEUED, Shade.BLOCKING]


@pytest.mark.parametrize("shade", CLASSES)
def test_row_has_the_pictures_texture_colour_height_and_glyphs(shade: Shade) -> None:
    html = fence(f"{CLASSES[shade]}: What it <means>.")
    assert f'fill="url(#textures-{CLASSES[shade]}) {COLOURS[shade]}"' in html
    assert f'height="{HEIGHTS[shade]:g}"' in html
    for theme in (UNICODE, ASCII):
        assert f"<code>{escape(theme.textures[shade] * 3)}</code>" in html
    assert "What it &lt;means&gt;." in html
    assert ('id="textures-queued"' in html) == (shade is Shade.QUEUED)  # of a plain state there is none


@pytest.mark.parametrize(
    ("page", "shades"), [("reference/vocabulary.md", CLASSES), ("teach/handout.md", STATES)]
)
def test_the_glossary_explains_all_states_and_the_handout_five(page: str, shades: list[Shade]) -> None:
    fences = re.findall(r"^```textures\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    explained = {line.partition(":")[0] for text in fences for line in text.splitlines()}
    assert explained == {CLASSES[shade] for shade in shades}
