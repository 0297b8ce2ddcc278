"""The page "Open your own run" shows what Python makes of the files that one chooses or drops.

Not for: what it makes of them, and what it says of those that are no runs (``tests/unit/in_page/test_page``).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.built import SITE
from tests.browser.conftest import OpenPage
from tests.support.crowds import crowd, text_of

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (SITE / "lessons/assets/python/worker.mjs").is_file(), reason="the site was built without Pyodide"
    ),
]

_PAGE = "explore/open.html"
_RUN = text_of(crowd(11, lanes=5, spans=6)).encode()
_LONG_MS = 180_000
"""The machine may be busy; how long it takes is for the benchmarks."""


def _choose(opened: Page, *files: tuple[str, bytes]) -> None:
    given: list[FilePayload] = [{"name": name, "mimeType": "", "buffer": content} for name, content in files]
    opened.get_by_label("Recorded runs").set_input_files(given)


def _drop(opened: Page, files: str) -> None:
    """files: in JavaScript."""
    opened.evaluate(
        f"""() => {{
            const data = new DataTransfer();
            for (const file of [{files}]) data.items.add(file);
            for (const type of ['dragover', 'drop']) {{
                const drag = new DragEvent(type, {{ dataTransfer: data, bubbles: true, cancelable: true }});
                document.querySelector('h1').dispatchEvent(drag);
                if (!drag.defaultPrevented) throw Error(type);
            }}
        }}"""
    )


def _shown(opened: Page, words: str = "Shown below: story (finished).") -> Locator:
    """What is shown, when it is."""
    status = opened.locator("#open-run > [role=status]")  # the timeline has one, too
    status.filter(has_text=words).wait_for(timeout=_LONG_MS)
    return opened.locator(".open-shown")


def test_a_file_is_read_by_python_and_goes_nowhere(page: OpenPage) -> None:
    opened = page(_PAGE)
    asked: list[tuple[str, str]] = []
    opened.on("request", lambda request: asked.append((request.method, request.url)))
    _choose(opened, ("brew.jsonl.gz", gzip.compress(_RUN)))
    shown = _shown(opened)
    assert shown.locator("async-timeline").evaluate("timeline => timeline.end > 0")
    assert {"Timeline", "Figures", "How it was recorded"} <= set(shown.locator("h2").all_inner_texts())
    assert "held the event loop" in shown.get_by_role("list").filter(has_text="app.py:9").first.inner_text()
    assert "/home/ada/app.py" in shown.inner_text()
    # Chromium fetches the icon of a tab when it has time.
    assert {method for method, url in asked if "/assets/python/" not in url and "favicon" not in url} == set()
    assert {method for method, _ in asked} == {"GET"}


def test_what_is_no_run_or_too_large_is_refused_in_words(page: OpenPage) -> None:
    opened = page(_PAGE)
    _choose(opened, ("x.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))))
    _shown(opened, 'Open a file that "asyncdemo trace --save FILE"')
    problems = opened.get_by_role("alert")
    assert (
        problems.inner_text() == "x.png is not a recorded run: line 1: is not the header of a recorded run."
    )
    _drop(opened, "new File(Array(400).fill(new Blob([new Uint8Array(1e6)])), 'large.jsonl')")
    problems.filter(has_text="large.jsonl is too large for a page").wait_for()


def test_files_can_be_dropped_anywhere(page: OpenPage) -> None:
    opened = page(_PAGE)
    file = f"new File([{_RUN.decode()!r}], 'brew.jsonl')"
    _drop(opened, f"{file}, {file}")
    _shown(opened, "Shown below: story (finished), story (finished).")


def test_a_later_choice_overtakes_one_that_is_still_read(page: OpenPage) -> None:
    opened = page(_PAGE)
    later = '{"type": "of a later version"}\\n'
    _drop(opened, f"new File([{_RUN.decode()!r}, '{later}'.repeat(1e6)], 'large.jsonl')")
    opened.get_by_text("Reading large.jsonl").wait_for(timeout=_LONG_MS)
    _choose(opened, ("brew.jsonl", _RUN))
    assert "of 5 lanes" in _shown(opened).inner_text()


def test_recordings_of_the_site_can_be_opened(page: OpenPage) -> None:
    opened = page(_PAGE)
    for name, run in (("Two sleeps", "blocking"), ("Redis pools", "threads_plain")):
        opened.get_by_role("button", name=name).press("Enter")
        assert _shown(opened, f"Shown below: {run}").locator("async-timeline").count() == 1


def test_from_a_file_the_page_says_what_to_do(page: OpenPage) -> None:
    opened = page(_PAGE, address=f"{SITE.as_uri()}/")
    assert "asyncdemo docs" in _shown(opened, "asyncdemo show FILE").locator("xpath=..").inner_text()


def test_without_javascript_it_names_the_commands(page: OpenPage) -> None:
    opened = page(_PAGE, js=False)
    assert not opened.locator("#open-files").is_visible()
    assert opened.get_by_text("asyncdemo show FILE").first.is_visible()


def test_anybody_can_use_it(page: OpenPage, violations: Callable[[Page], list[str]]) -> None:
    opened = page(_PAGE, width=360)
    _choose(opened, ("brew.jsonl", _RUN), ("x", b"x"))
    _shown(opened)
    assert violations(opened) == []
    assert opened.evaluate("document.documentElement.scrollWidth") == 360
