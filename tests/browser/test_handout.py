"""The page to hand out fills one sheet, and not two, with the textures of the pictures on it."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser

PLANNED = 34
"""Lessons: those that are still to come must have room, too."""


def sheets(pdf: bytes) -> int:
    counts = [int(count) for count in re.findall(rb"/Count (\d+)", pdf)]
    assert counts, "no page tree in the PDF"
    return max(counts)


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_handout_prints_on_one_sheet_with_room_for_more_lessons(
    page: OpenPage, paper: str, scheme: str
) -> None:
    opened = page("teach/handout.html", scheme=scheme)
    assert sheets(opened.pdf(format=paper)) == 1
    there = opened.locator(".questions li").count()
    opened.evaluate(
        """more => {
            const list = document.querySelector(".questions");
            for (let n = 0; n < more; n++) list.append(list.children[9].cloneNode(true));
        }""",
        PLANNED - there,
    )
    assert opened.locator(".questions li").count() == PLANNED
    assert sheets(opened.pdf(format=paper)) == 1


def test_on_paper_there_are_the_five_states_and_nothing_to_click(page: OpenPage) -> None:
    opened = page("teach/handout.html")
    opened.emulate_media(media="print")
    assert opened.locator(".handout .textures svg:visible").count() == 5
    for what in ("header", ".handout-hint", ".md-footer", ".md-sidebar"):
        assert opened.locator(f"{what}:visible").count() == 0
