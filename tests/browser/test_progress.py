"""What is kept on a reader's machine: spoilers are folded until the reveal, and one goes on where one was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser

_LESSON = "lessons/two-sleeps.html"
_DENIED = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied'); } });"
_FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"


def folded(page: Page) -> list[bool]:
    """Of the subtitle, and of "What you saw" with "Why"."""
    return [not part.evaluate("part => part.checkVisibility({contentVisibilityAuto: true}) && !part.hidden")
            for part in page.locator(".spoiler").all()]  # fmt: skip


def test_answers_are_folded_until_the_reveal_and_open_after_it(page: OpenPage) -> None:
    shown = page(_LESSON)
    assert folded(shown) == [True] * 3
    shown.get_by_role("button", name="Show what happened").click()
    assert folded(shown) == [False] * 3


def test_a_reader_may_skip_the_prediction(page: OpenPage) -> None:
    shown = page(_LESSON)
    skip = shown.get_by_role("button", name="Skip: show everything")
    skip.click()
    assert folded(shown) == [False] * 3
    assert shown.locator("async-timeline[covered]").count() == 0
    assert skip.count() == 0


def test_a_link_into_what_is_folded_opens_it(page: OpenPage) -> None:
    assert folded(page(f"{_LESSON}#why")) == [False] * 3


def test_without_scripts_everything_is_there(page: OpenPage) -> None:
    shown = page(_LESSON, js=False)
    assert folded(shown) == [False] * 3
    assert shown.locator(".live-open:visible").count() == 0  # which would do nothing
    picture = shown.locator(".timeline-still").first
    assert picture.evaluate("still => still.scrollWidth <= still.clientWidth")


def test_seen_lesson_is_marked_and_the_start_page_continues(page: OpenPage) -> None:
    shown = page(_LESSON)
    shown.get_by_role("button", name="Skip: show everything").click()
    shown.reload()
    assert folded(shown) == [False] * 3
    shown.goto(f"{page.address}lessons/index.html")
    assert shown.locator(".lesson-list .lesson-done").all_inner_texts() == [" ✓ seen"]
    sign = shown.locator(".md-nav .lesson-done").first
    assert (sign.text_content(), sign.get_attribute("aria-label")) == (" ✓", "seen")
    shown.goto(f"{page.address}index.html")
    on = shown.locator(".resume")
    assert on.inner_text().startswith("Go on: ")
    on.click()
    shown.wait_for_url("**/lessons/nothing-ran.html")


@pytest.mark.parametrize("storage", [_DENIED, _FULL])
def test_where_nothing_can_be_kept_the_page_only_forgets(storage: str, page: OpenPage) -> None:
    shown = page("index.html")
    shown.context.add_init_script(storage)
    shown.goto(page.address + _LESSON)
    page.complaints.clear()  # the theme complains of storage by itself
    shown.get_by_role("button", name="Show what happened").click()
    assert folded(shown) == [False] * 3
    shown.reload()
    assert folded(shown) == [True] * 3
    page.complaints.clear()
