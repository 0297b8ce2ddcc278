"""Code and picture follow each other: marks at lines, arrows, frames around bars, tabs of pictures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import OpenPage

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MIDDLE = "(it => { const { y, height } = it.getBoundingClientRect(); return y + height / 2; })"
"""In one call for two elements: between two calls the page may have scrolled."""
AT_REST = """() => new Promise(resolve => {
  let before = "", frames = 0;
  (function look() {
    const now = `${scrollY} ${document.body.scrollHeight}`;
    frames = now === before ? frames + 1 : 0;
    before = now;
    frames < 10 ? requestAnimationFrame(look) : resolve();
  })();
})"""


@pytest.fixture
def siblings(page: OpenPage) -> Page:
    opened = page("lessons/siblings.html", width=1600, height=1000)
    opened.get_by_role("button", name="Skip: show everything").click()
    opened.locator("async-timeline").evaluate("it => { it.stop(); it.seek(it.end * .3); }")
    return opened


def test_marks_say_who_is_at_which_line(siblings: Page) -> None:
    mark = siblings.locator(".highlight:visible .thread")
    mark.wait_for()
    assert mark.inner_text() == "4 waiting"
    line = siblings.locator(".highlight:visible [data-linenos='22 ']").element_handle()
    apart = mark.evaluate(f"(mark, line) => {MIDDLE}(mark) - {MIDDLE}(line)", line)
    assert abs(apart) < 6
    siblings.locator("async-timeline").evaluate("it => it.seek(it.end)")
    mark.wait_for(state="detached")


def test_a_line_frames_its_bars_and_a_bar_its_line(siblings: Page) -> None:
    siblings.locator(".highlight:visible .thread").wait_for()
    siblings.evaluate(AT_REST)
    line = siblings.locator(".highlight:visible [data-linenos='22 ']").bounding_box()
    assert line
    siblings.mouse.move(line["x"] + 100, line["y"] + line["height"] / 2)
    picture = siblings.locator("async-timeline .picture").first
    frames = picture.locator(".lit")
    frames.wait_for(state="attached")
    assert len(set(re.findall(r" (\d+)H", str(frames.get_attribute("d"))))) == 5  # rows
    picture.hover(position={"x": 140, "y": 30})
    siblings.locator(".thread-line").wait_for()
    frames.wait_for(state="detached")


def test_arrows_say_who_just_made_whom_go_on(siblings: Page) -> None:
    siblings.locator("async-timeline .picture").nth(2).click(position={"x": 200, "y": 40})
    siblings.locator(".highlight:visible > .filename", has_text="grouped.py").wait_for()
    siblings.locator("async-timeline").evaluate(
        "it => it.seek(it.data.runs.find(({ name }) => name === 'grouped').wakes[0][0])"
    )
    drawn = siblings.locator("async-timeline .picture").nth(2).locator(".wake").get_attribute("d")
    assert str(drawn).count("M") == 4  # book(2) failed: plan_trip() and the three others are made to go on
    arrow = siblings.locator(".threads .wake")
    for line in ("22 ", "30 "):  # from the sleep to the end of the group
        there = siblings.locator(f".highlight:visible [data-linenos='{line}']").element_handle()
        above, height = arrow.evaluate(
            f"(arrow, line) => [{MIDDLE}(line) - {MIDDLE}(arrow), arrow.getBoundingClientRect().height]",
            there,
        )
        assert abs(above) < height / 2 + 8
    siblings.locator("async-timeline").evaluate("it => it.seek(it.end * .7)")
    siblings.locator(".threads .wake").wait_for(state="detached")


def test_a_click_on_a_picture_brings_its_program_to_the_front(siblings: Page) -> None:
    siblings.locator(".highlight:visible .thread").wait_for()
    siblings.locator("async-timeline .picture").nth(2).click(position={"x": 200, "y": 40})
    siblings.locator(".highlight:visible > .filename", has_text="grouped.py").wait_for()


def test_stepping_focuses_the_program_that_changed(siblings: Page) -> None:
    siblings.locator(".highlight:visible .thread").wait_for()  # the script is there
    timeline = siblings.locator("async-timeline")
    names = timeline.evaluate("it => it.data.runs.map(({ file }) => file.split('/').pop())")
    siblings.locator("async-timeline .picture").nth(2).click(position={"x": 200, "y": 40})  # it ends early
    timeline.evaluate("it => it.stopAt(0)")
    seen = set()
    for _ in range(timeline.evaluate("it => it.steps.length") - 1):
        timeline.get_by_role("button", name="Next event").click()
        changed = timeline.evaluate("""it => it.data.runs.map(({ rows }) => rows.some(({ bars }) => bars.some(
            ([start]) => it.steps[it.steps.indexOf(it.time) - 1] < start && start <= it.time)))""")
        title = siblings.locator(".highlight:visible > .filename").inner_text()
        assert not any(changed) or changed[names.index(title)]
        seen.add(title)
    assert len(seen) > 1
