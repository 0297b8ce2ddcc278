"""The mistakes gallery in a browser: every entry has its picture, beside the script where there is room."""

from __future__ import annotations

import pytest

from asyncdemo.analysis.diagnose import DETECTORS
from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser

PAGE = "explore/mistakes/blocks-the-loop.html"
KINDS = [detector.kind for detector in DETECTORS]

_SIDE_BY_SIDE = """entry => {
  const [code, picture] = ['code', 'picture'].map(part => entry.querySelector('.mistake-' + part));
  return picture.getBoundingClientRect().left >= code.getBoundingClientRect().right;
}"""


def test_every_entry_has_a_picture_that_plays(page: OpenPage) -> None:
    for kind in KINDS:
        assert page(f"explore/mistakes/{kind}.html").get_by_role("button", name="Play").count() == 1


@pytest.mark.parametrize(("width", "beside"), [(1600, True), (1280, True), (768, False), (360, False)])
def test_script_and_picture_are_side_by_side_on_wide_screens(
    page: OpenPage, width: int, beside: bool
) -> None:
    opened = page(PAGE, width=width)
    assert opened.locator(".mistake").evaluate(_SIDE_BY_SIDE) is beside
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("kind", KINDS)
def test_where_they_stand_side_by_side_no_line_is_cut_off(page: OpenPage, kind: str) -> None:
    codes = page(f"explore/mistakes/{kind}.html", width=1600).locator(".mistake-code pre > code")
    assert codes.evaluate_all("codes => codes.filter(code => code.scrollWidth > code.clientWidth)") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_mark_tells_faulty_lines_by_more_than_colour(page: OpenPage, scheme: str) -> None:
    line = page(PAGE, scheme=scheme).locator(".hll")
    assert line.inner_text().strip() == "time.sleep(0.2)"
    assert line.evaluate("line => getComputedStyle(line).borderLeftStyle") == "solid"


def test_a_finding_leads_to_the_page_of_the_others_in_its_script(page: OpenPage) -> None:
    opened = page("explore/mistakes/held-while-acquiring.html")
    opened.locator(".mistake-further").get_by_role("link", name="refused-by-pool").click()
    assert opened.get_by_role("heading", level=1).inner_text().startswith("A pool that turns callers away")
