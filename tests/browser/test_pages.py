"""Every page of the built site in a browser: nothing missing, nothing too wide, nothing out of reach."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.built import KINDS, SHOTS, pages
from tests.browser.conftest import OpenPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PHONE: Final = 320
DESKTOP: Final = 1280
PAPER: Final = 794
"""A4 at 96 dots an inch."""
WIDTHS: Final = (768, DESKTOP, 1600)
"""Every page is held to a phone's width anyway."""

TOO_WIDE: Final = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
        .filter((part) => part.getBoundingClientRect().right > width + 1)
        .map((part) => part.tagName.toLowerCase() + "." + part.className)
        .slice(0, 5);
}"""

# A check box of the theme has no size of its own: what is seen is its label.
UNSEEN_FOCUS: Final = """() => {
    const focused = document.activeElement;
    const seen = [focused, focused.nextElementSibling, ...(focused.labels ?? [])].some((part) => {
        const box = part ? part.getBoundingClientRect() : {width: 0};
        return box.width > 0 && box.right > 0 && box.left < innerWidth;
    });
    return seen ? "" : focused.outerHTML.slice(0, 120);
}"""


@pytest.fixture(scope="module")
def phone(site: str, browser: Browser) -> Iterator[tuple[OpenPage, Page]]:
    """One window for many pages: what they share is loaded once."""
    opened = OpenPage(browser, site)
    yield opened, opened("404.html", width=PHONE)
    opened.close()


@pytest.mark.parametrize("path", pages())
def test_every_page_fits_a_phone_and_asks_for_nothing_else(path: str, phone: tuple[OpenPage, Page]) -> None:
    opened, shown = phone
    opened.complaints.clear()
    shown.goto(opened.address + path, wait_until="load")
    assert shown.evaluate(TOO_WIDE) == []
    assert shown.locator("h1").count() == 1
    assert not opened.complaints, "the console is not silent, or another host was asked"


@pytest.mark.parametrize("path", KINDS)
def test_every_kind_of_page_fits_every_width_and_is_accessible(
    path: str, page: OpenPage, violations: Callable[..., list[str]]
) -> None:
    shown = page(path, still=True)
    for width in WIDTHS:
        shown.set_viewport_size({"width": width, "height": 900})
        assert shown.evaluate(TOO_WIDE) == [], width
        if width == DESKTOP:
            keep_picture(shown, f"{name(path)}-light.png")
            assert violations(shown) == []
    shown.set_viewport_size({"width": DESKTOP, "height": 900})
    shown.emulate_media(color_scheme="dark")
    shown.add_init_script("localStorage.clear()")  # as if it had not been here before
    shown.reload(wait_until="load")
    shown.locator("body[data-md-color-scheme=slate]").wait_for()
    keep_picture(shown, f"{name(path)}-dark.png")
    assert violations(shown, "color-contrast") == []  # of the rules the only one that asks for colours
    is_for_paper(shown, path)


def is_for_paper(shown: Page, path: str) -> None:
    """Its text is there, and nothing to click."""
    shown.set_viewport_size({"width": PAPER, "height": 900})
    shown.emulate_media(media="print", color_scheme="light")
    assert shown.evaluate(TOO_WIDE) == []
    assert shown.locator("h1").is_visible()
    for selector in (".md-header", ".md-tabs", ".md-sidebar", ".md-footer", ".md-search"):
        assert all(not part.is_visible() for part in shown.locator(selector).all()), selector
    blocks = shown.locator(".tabbed-block").all()
    assert all(
        block.is_visible() for block in blocks if block.locator("xpath=ancestor::details").count() == 0
    )


def test_the_scheme_that_was_chosen_is_kept_on_the_next_page(page: OpenPage) -> None:
    shown = page("index.html", scheme="light")
    body = shown.locator("body")
    assert body.get_attribute("data-md-color-scheme") == "default"
    shown.get_by_title("Switch to dark mode").click()
    assert body.get_attribute("data-md-color-scheme") == "slate"
    shown.goto(page.address + "start/hurry.html")
    assert shown.locator("body").get_attribute("data-md-color-scheme") == "slate"


@pytest.mark.parametrize("path", ["index.html", "lessons/two-sleeps.html"])
def test_the_first_stop_of_the_tab_key_leads_past_the_navigation(path: str, page: OpenPage) -> None:
    shown = page(path)
    shown.keyboard.press("Tab")
    skip = shown.locator(":focus")
    assert "md-skip" in (skip.get_attribute("class") or "")
    shown.keyboard.press("Enter")
    shown.keyboard.press("Tab")
    assert shown.evaluate("() => document.activeElement.closest('article') !== null")


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_the_focus_is_always_in_sight(width: int, page: OpenPage) -> None:
    shown = page("lessons/two-sleeps.html", width=width)
    for _ in range(40):
        shown.keyboard.press("Tab")
        assert shown.evaluate(UNSEEN_FOCUS) == ""


def test_the_drawer_of_a_phone_opens_from_the_keyboard(page: OpenPage) -> None:
    shown = page("lessons/two-sleeps.html", width=PHONE)
    shown.get_by_label("Open the menu").press("Enter")
    shown.locator(".md-sidebar--primary").get_by_role("link", name="Upload gate").wait_for(state="visible")


def test_the_search_of_a_phone_opens_from_the_keyboard(page: OpenPage) -> None:
    shown = page("index.html", width=PHONE)
    shown.locator("label[for=__search].md-header__button").press("Enter")
    field = shown.locator(".md-search__input")
    field.wait_for(state="visible")
    shown.wait_for_function("() => document.activeElement.matches('.md-search__input')")


def test_code_and_picture_stand_side_by_side_where_there_is_room(page: OpenPage) -> None:
    wide, narrow = (page("lessons/two-sleeps.html", width=width) for width in (1280, 768))
    code, picture = (wide.locator(part).bounding_box() for part in (".stage-code", ".stage-picture"))
    assert code is not None
    assert picture is not None
    assert code["x"] + code["width"] <= picture["x"]
    code, picture = (narrow.locator(part).bounding_box() for part in (".stage-code", ".stage-picture"))
    assert code is not None
    assert picture is not None
    assert code["y"] + code["height"] <= picture["y"]


def name(path: str) -> str:
    return path.removesuffix(".html").replace("/", "-")


def keep_picture(shown: Page, file: str) -> None:
    """For a person to look at; on a CI server nobody does."""
    if "CI" in os.environ:
        return
    SHOTS.mkdir(parents=True, exist_ok=True)
    shown.screenshot(path=SHOTS / file, full_page=True)
