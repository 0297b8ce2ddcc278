"""The page "Open your own run" plays what one chooses or drops, and says what it cannot read.

Not for: what it makes of a file (``test_run_files``).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from asyncdemo.analysis.metrics import open_lanes
from tests.browser.built import SITE
from tests.browser.conftest import OpenPage
from tests.support.crowds import crowd, text_of
from tests.support.runs import Story, at_line

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Page

pytestmark = pytest.mark.browser

RUN = crowd(11, lanes=5, spans=6, connections=3)


def chosen(page: Page, *files: tuple[str, bytes]) -> Page:
    """The page with these files chosen, when it has shown them."""
    given: list[FilePayload] = [{"name": name, "mimeType": "", "buffer": content} for name, content in files]
    page.get_by_label("Recorded runs").set_input_files(given)
    status(page).filter(has_text="hown").wait_for()
    return page


def status(page: Page) -> Locator:
    """Of the form; the timeline has one, too."""
    return page.locator("#open-run > [role=status]")


@pytest.fixture
def run_file() -> bytes:
    return text_of(RUN).encode()


class TestPage:
    @pytest.mark.parametrize("packed", [False, True])
    def test_a_file_is_played_and_told(self, page: OpenPage, run_file: bytes, packed: bool) -> None:
        file = ("brew.jsonl.gz", gzip.compress(run_file)) if packed else ("brew.jsonl", run_file)
        shown = chosen(page("explore/open.html"), file)
        assert status(shown).inner_text() == "Shown below: story (ended well)."
        assert shown.locator("async-timeline").evaluate("timeline => timeline.end > 0")
        told = shown.locator(".open-shown").inner_text()
        for words in (
            "/home/ada/app.py",
            "3.13.0",
            f"5, at most {open_lanes(RUN)} open at once",
            "app.py:9 in brew, called from app.py:30",
        ):
            assert words in told
        assert f"asyncdemo show {file[0]}" in told
        assert f"asyncdemo export {file[0]} --to html" in told

    @pytest.mark.parametrize("where", ["http", "file"])
    def test_nothing_is_asked_for(self, page: OpenPage, run_file: bytes, where: str) -> None:
        opened = page("explore/open.html", address=None if where == "http" else f"{SITE.as_uri()}/")
        opened.wait_for_load_state("networkidle")
        asked: list[str] = []
        opened.on("request", lambda request: asked.append(request.url))
        chosen(opened, ("brew.jsonl", run_file), ("again.jsonl", run_file))
        assert opened.locator("async-timeline").count() == 1
        # Chromium fetches the icon of a tab when it has time.
        assert [url for url in asked if not url.endswith("favicon.svg")] == []

    def test_files_can_be_dropped_anywhere(self, page: OpenPage, run_file: bytes) -> None:
        opened = page("explore/open.html")
        opened.evaluate(
            """text => {
                const data = new DataTransfer();
                data.items.add(new File([text], 'brew.jsonl'));
                for (const type of ['dragover', 'drop']) {
                    const drag = new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
                    document.querySelector('h1').dispatchEvent(drag);
                    if (!drag.defaultPrevented) throw Error(type);
                }
            }""",
            run_file.decode(),
        )
        opened.get_by_text("Shown below: story").wait_for()

    def test_examples(self, page: OpenPage) -> None:
        opened = page("explore/open.html")
        for name in ("Two sleeps", "Redis pools"):
            opened.get_by_role("button", name=name).press("Enter")
            status(opened).filter(has_text="Shown below").wait_for()
            assert opened.locator("async-timeline").evaluate("timeline => timeline.end > 0")

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "is empty"),
            (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 99, "line 1: is not the header of a recorded run"),
            (b'{"runs": []}\n', "line 1: is not the header of a recorded run"),
            (b'{"format": "asyncdemo.run/2"}\n', "has the format asyncdemo.run/2, and this page reads"),
            (b"\x1f\x8b\x08\x00damaged", "cannot be read"),
        ],
        ids=["empty", "picture", "other JSON", "newer", "damaged"],
    )
    def test_what_is_no_run_file_is_refused_in_words(
        self, page: OpenPage, content: bytes, words: str
    ) -> None:
        opened = chosen(page("explore/open.html"), ("x.jsonl", content))
        assert words in opened.get_by_role("alert").inner_text()
        assert "Expected is a file that" in status(opened).inner_text()

    def test_the_others_are_shown_and_what_is_cut_off_is_said(self, page: OpenPage, run_file: bytes) -> None:
        cut = run_file[: len(run_file) * 2 // 3]
        opened = chosen(
            page("explore/open.html"), ("cut.jsonl", cut), ("not.jsonl", b"x"), ("brew.jsonl", run_file)
        )
        problems = opened.get_by_role("alert").inner_text()
        assert "cut.jsonl: The file ends early" in problems
        assert "not.jsonl is no recorded run" in problems
        assert status(opened).inner_text().count("story") == 2

    def test_names_are_text(self, page: OpenPage) -> None:
        evil = "<img src=x onerror=document.title='gotcha'>"
        story = Story()
        story.task(evil).blocks(99, evil, at_line(1, evil, f"/{evil}.py")).raises(evil)
        run = story.run(name=evil, script=evil, argv=(evil,), python=evil, notes=(evil,), knobs={evil: evil})
        opened = chosen(page("explore/open.html"), (f"{evil}.jsonl".replace("/", ""), text_of(run).encode()))
        assert evil in opened.locator(".open-shown").inner_text()
        assert opened.locator(".open-shown img").count() == 0
        assert opened.title() != "gotcha"

    def test_the_page_goes_on_while_it_reads(self, page: OpenPage) -> None:
        large = text_of(crowd(12, lanes=4000, spans=60)).encode()
        opened = page("explore/open.html")
        opened.evaluate(
            """() => {
                const status = document.querySelector('#open-run > [role=status]');
                ticks = 0;
                setInterval(() => { if (status.textContent.startsWith('Reading')) ticks += 1; });
            }"""
        )
        chosen(opened, ("large.jsonl", large))
        assert opened.evaluate("ticks") > 3
        assert "4,000, at most" in opened.locator(".open-shown").inner_text()

    def test_without_javascript_it_names_the_commands(self, page: OpenPage) -> None:
        opened = page("explore/open.html", js=False)
        assert not opened.locator("#open-files").is_visible()
        assert opened.get_by_text("asyncdemo show FILE").first.is_visible()

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_anybody_can_use_it(
        self,
        page: OpenPage,
        run_file: bytes,
        scheme: str,
        violations: Callable[[Page], list[str]],
    ) -> None:
        opened = chosen(
            page("explore/open.html", scheme=scheme, width=360), ("brew.jsonl", run_file), ("x", b"x")
        )
        assert violations(opened) == []
        assert opened.evaluate("document.documentElement.scrollWidth") == 360
