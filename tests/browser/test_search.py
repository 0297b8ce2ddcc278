"""Search: finds lessons by their point, from a server and from the disk; costs nothing until it is used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZipFile

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.site.built import pack
from tests.browser.built import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser

LESSONS: Final = load_course(find_course()).lessons
FIRST_FEW: Final = 4


@pytest.fixture(scope="session")
def disk(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the site as it comes out of the zip, with a slash at its end."""
    folder = tmp_path_factory.mktemp("disk")
    if not (SITE / "search").is_dir():
        pytest.fail("There is no site to look at: make docs", pytrace=False)
    shutil.copytree(SITE, folder / "site")
    pack(folder / "site", folder / "docs.zip")
    with ZipFile(folder / "docs.zip") as packed:
        packed.extractall(folder)
    return f"{(folder / 'asyncdemo-docs').as_uri()}/"


@pytest.fixture(params=["server", "disk"])
def address(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("site" if request.param == "server" else "disk"))


def found(shown: Page) -> list[str]:
    """Pages among the results, best first."""
    results = shown.locator(".md-search-result__item > a:first-child")
    results.first.wait_for()
    links = results.evaluate_all("links => links.map((link) => new URL(link.href).pathname)")
    return [Path(link).name for link in links]


def found_for(shown: Page, words: str) -> list[str]:
    """As ``found``, in the box of a page that may show results of an earlier search."""
    box = shown.get_by_placeholder("Search")
    for typed in ("", words):
        box.fill(typed)
        box.press("Shift")  # the theme listens to keys
        results = shown.locator(".md-search-result__item")
        results.first.wait_for(state="visible" if typed else "detached")
    return found(shown)


def is_loaded(shown: Page) -> bool:
    """Whether the page has the index by now; a browser counts requests to servers only."""
    return bool(
        shown.evaluate(
            """typeof __index !== "undefined" ||
            performance.getEntriesByType("resource").some(({name}) => /search_index|workers/.test(name))"""
        )
    )


def test_every_lesson_is_found_by_its_point(page: OpenPage) -> None:
    shown = page("index.html")
    places = {lesson.id: found_for(shown, lesson.point).index(f"{lesson.id}.html") for lesson in LESSONS}
    assert max(places.values()) < FIRST_FEW, places


@pytest.mark.parametrize("key", ["/", "s", "f"])
def test_a_key_opens_it_and_a_result_leads_there(page: OpenPage, address: str, key: str) -> None:
    shown = page("lessons/two-sleeps.html", address=address)
    shown.keyboard.press(key)
    shown.keyboard.type("shared semaphore limit")
    shown.locator(".md-search-result__link[href*='/upload-gate.html']").first.click()
    shown.wait_for_url("**/upload-gate.html?h=*")
    marks = shown.locator("mark").first
    marks.wait_for(state="attached")
    assert set(marks.inner_text().lower().split()) <= {"shared", "semaphore", "limit"}


def test_nothing_of_it_is_loaded_until_it_is_used(page: OpenPage, address: str) -> None:
    shown = page("lessons/two-sleeps.html", address=address)
    shown.evaluate("() => new Promise(done => requestIdleCallback(() => done()))")  # it could load it then
    assert not is_loaded(shown)
    shown.keyboard.press("/")
    shown.keyboard.type("semaphore")
    assert "upload-gate.html" in found(shown)
    assert is_loaded(shown)


def test_wrong_letters_are_forgiven(page: OpenPage, address: str) -> None:
    shown = page("index.html", address=address)
    shown.keyboard.press("/")
    for typed, meant, where in (
        ("deadlok", "deadlock", "deadlock-and-poison.html"),
        ("asyncoi", "asyncio", "siblings.html"),
    ):
        assert where in found_for(shown, typed)
        assert shown.locator(".search-meant").inner_text().endswith(f": {meant}")
    found_for(shown, "asyncio")
    assert shown.locator(".search-meant").count() == 0


def test_an_option_is_found_where_it_is_described(page: OpenPage) -> None:
    shown = page("index.html")
    for typed in ("--handed-in", "--csv", "asyncdemo run --present"):
        assert "commands.html" in found_for(shown, typed)[:FIRST_FEW], typed


def test_small_words_alone_are_searched_for_too(page: OpenPage) -> None:
    assert found(page("index.html?q=with"))


def test_what_a_prediction_hides_is_not_in_the_index() -> None:
    index = json.loads((SITE / "search" / "search_index.json").read_text(encoding="utf-8"))
    texts = [entry["text"] for entry in index["docs"] if entry["location"].startswith("lessons/")]
    assert texts
    assert not any("In the recording:" in text or "Answer before you look" in text for text in texts)
