"""The tables of states look like the pictures, and say what every state means that a view can show."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.render.svg.textures import CLASSES, HEIGHTS
from asyncdemo.render.terminal.theme import ASCII, COLOURS, UNICODE
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.site.questions import questions_html
from asyncdemo.site.textures import fence, textures_html

DOCS = Path(__file__).resolve().parents[3] / "docs"
STATES = [Shade.RUNNING, Shade.READY, Shade.WAITING, Shade.QUEUED, Shade.BLOCKING]


def explained(page: str) -> set[str]:
    """The shades that the fences of a page tell of."""
    fences = re.findall(r"^```textures\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    return {line.partition(":")[0] for text in fences for line in text.splitlines()}


@pytest.mark.parametrize("shade", [shade for shade in Shade if shade is not Shade.CLOSED])
def test_a_row_has_the_texture_the_colour_the_height_and_the_glyphs_of_the_pictures(shade: Shade) -> None:
    html = textures_html({shade: "What it <means>."})
    assert f'fill="url(#textures-{CLASSES[shade]}) {COLOURS[shade]}"' in html
    assert f'height="{HEIGHTS[shade]:g}"' in html
    for theme in (UNICODE, ASCII):
        assert f"<code>{escape(theme.textures[shade] * 3)}</code>" in html
    assert "What it &lt;means&gt;." in html


def test_a_textured_state_brings_its_pattern_along_and_a_plain_one_needs_none() -> None:
    assert 'id="textures-queued"' in textures_html({Shade.QUEUED: ""})
    assert 'id="textures-running"' not in textures_html({Shade.RUNNING: ""})


def test_an_unknown_state_fails_the_build() -> None:
    with pytest.raises(Exception, match="'sleeping: It sleeps' is not one of the settings"):
        fence("sleeping: It sleeps")


def test_the_glossary_explains_every_state_that_a_picture_can_show() -> None:
    assert explained("reference/vocabulary.md") == set(CLASSES.values())


def test_the_handout_explains_the_five_states() -> None:
    assert explained("teach/handout.md") == {CLASSES[shade] for shade in STATES}


def test_the_questions_are_those_of_the_lessons_with_their_numbers() -> None:
    course = load_course(find_course())
    lines = re.findall(r'<li value="(\d+)"><b>(.*?)</b> (.*?)</li>', unescape(questions_html(course)))
    assert lines == [(str(lesson.number), lesson.title, lesson.question) for lesson in course.lessons]
