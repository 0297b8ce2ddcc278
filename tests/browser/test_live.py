"""Lessons that run in their page, in Chromium: changed, run, stopped, checked; nothing is loaded unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.built import SITE
from tests.browser.conftest import OpenPage

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (SITE / "lessons/assets/python/worker.mjs").is_file(), reason="the site was built without Pyodide"
    ),
]

_LESSON = "lessons/two-sleeps.html"
_SOLUTION = Path(__file__).parents[2] / "lessons/01-loop/01-two-sleeps/solution.py"
_LONG_MS = 180_000
"""The machine may be busy; how long it takes is for the benchmarks."""


def _part(opened: OpenPage, name: str, width: int = 1280) -> Locator:
    part = opened(_LESSON, width=width).locator(f".live[data-part={name}]")
    part.locator(".live-open").click()
    part.locator(".cm-content").first.wait_for(timeout=_LONG_MS)
    return part


def _press(part: Locator, name: str) -> None:
    part.get_by_role("button", name=name, exact=True).click()


def test_nothing_of_it_is_loaded_before_one_asks(page: OpenPage) -> None:
    loaded = page(_LESSON).evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert loaded
    assert not [name for name in loaded if "python" in name or "live" in name]


def test_programs_are_run_and_one_that_never_ends_is_stopped(page: OpenPage) -> None:
    part = _part(page, "programs")
    assert len(part.page.workers) == 1  # another one would slow the first run down
    made: list[str] = []
    part.page.on("worker", lambda worker: made.append(worker.url))
    part.get_by_label("BREWS").fill("4")
    _press(part, "Run")
    part.locator("async-timeline").wait_for(timeout=_LONG_MS)
    assert "1.20 s" in part.locator(".live-result").inner_text()  # 4 times 0.3 s
    part.get_by_role("tab", name="awaited.py").click()
    part.locator(".cm-content:visible").fill("BREWS = 10\ndef brew(n): ...\nwhile True: pass\n")
    _press(part, "Run")
    part.page.locator(".live[data-part=exercise] .live-open").click()
    part.page.get_by_text("The programs above are still running.").wait_for()
    part.get_by_text("Still running. Press Stop to end it.", exact=True).wait_for()
    _press(part, "Stop")
    part.get_by_text("Stopped.", exact=True).wait_for()
    assert not part.locator(".live-result").inner_html()  # it was of another run
    _press(part, "Reset")
    _press(part, "Run")
    part.locator("async-timeline").wait_for(timeout=_LONG_MS)
    # The one that goes on, and one for another Stop: by now, the browser has reported both.
    assert len(made) == 2


_HEAD = "BREWS = 10\ndef brew(n): ...\n"
_BAD = {
    "def brew(n)\n    pass\n": "SyntaxError: expected ':'",
    "BREWS = 10\ndef brew(n): return brew(n)\nbrew(1)\n": "RecursionError: maximum recursion depth exceeded",
    f"{_HEAD}import socket\nsocket.create_connection(('127.0.0.1', 80))\n": "needs sockets, which a page",
    f"{_HEAD}import threading\nthreading.Thread(target=print).start()\n": "needs threads, which a page",
    f"{_HEAD}import subprocess\nsubprocess.run(['ls'])\n": "needs processes, which a page does not have",
    f"{_HEAD}import requests\n": "needs the package requests, which a page does not have",
    f"{_HEAD}input('name? ')\n": "EOFError: This page has no keyboard input",
    f"{_HEAD}exit()\n": "No call of brew was recorded.",
    f"{_HEAD}import socket\n": "needs sockets, which a page does not have",
    f"{_HEAD}import os\nos._exit(3)\n": "Program terminated with exit(3)",
    f"{_HEAD}x = [None] * 2**29\n": "MemoryError",  # 2 GiB, one byte too many there: none of it is taken
    "import asyncio\nasync def brew(n): await asyncio.Event().wait()\nasyncio.run(brew(1))\nBREWS = 1\n": (
        "Deadlock: no timer is set and nothing is pending"
    ),
    "": "There is no function brew in this script.",
}


def test_bad_input_ends_with_a_sentence_and_the_page_goes_on(page: OpenPage) -> None:
    from playwright.sync_api import expect

    part = _part(page, "programs")
    part.get_by_role("tab", name="awaited.py").click()
    for text, sentence in _BAD.items():
        part.locator(".cm-content:visible").fill(text)
        _press(part, "Run")
        expect(part.locator(".live-status")).to_contain_text(sentence, timeout=_LONG_MS)
    part.locator(".cm-content:visible").fill(f"{_HEAD}for _ in range(100_000): print('x' * 80)\n")
    _press(part, "Run")
    part.filter(has_text="characters left out").wait_for(timeout=_LONG_MS)
    _press(part, "Reset")
    part.get_by_label("BREWS").fill("-5")
    _press(part, "Run")
    part.get_by_text("BREWS can be 1 to 1000 cups (how many cups are made).", exact=True).wait_for()
    _press(part, "Reset")
    _press(part, "Run")
    part.locator("async-timeline").wait_for(timeout=_LONG_MS)


def test_the_keyboard_runs_programs_and_goes_on_from_there(
    page: OpenPage, violations: Callable[..., list[str]]
) -> None:
    part = _part(page, "programs", width=360)
    assert not violations(part.page)
    run = part.get_by_role("button", name="Run", exact=True)
    run.press("Enter")
    part.locator("async-timeline").wait_for(timeout=_LONG_MS)
    assert run.evaluate("button => button === document.activeElement")
    top = part.locator(".live-element").bounding_box()
    assert top
    assert 0 < top["y"] < 450  # half of the window
    part.get_by_role("tab", name="blocking.py").press("ArrowRight")
    field = part.get_by_role("textbox", name="awaited.py")
    field.fill("def brew(n)\n")
    field.press("Control+Enter")
    part.locator(".live-status", has_text="SyntaxError").wait_for(timeout=_LONG_MS)
    assert not violations(part.page)
    regions = part.page.locator("[role=region]").evaluate_all("all => all.map(region => region.ariaLabel)")
    assert len(regions) == len(set(regions))


def test_second_tab_and_browser_without_storage_are_reported(page: OpenPage) -> None:
    part = _part(page, "exercise")
    other = part.page.context.new_page()
    other.goto(part.page.url)
    there = other.locator(".live[data-part=exercise]")
    there.locator(".live-open").click()
    there.locator(".cm-content").fill("# from the other tab\n", timeout=_LONG_MS)
    part.get_by_text("exercise.py was changed in another tab.").wait_for()
    # It is not taken from under one's hands.
    assert "other tab" not in part.locator(".cm-content").inner_text()
    other.evaluate(
        "void (Storage.prototype.setItem = () => { throw new DOMException(String(), `QuotaExceededError`); })"
    )
    there.locator(".cm-content").fill("# not kept\n")
    there.get_by_text("This browser keeps nothing: download the file").wait_for()
    with other.expect_download() as download:
        there.get_by_role("button", name="Download exercise.py").click()
    assert download.value.suggested_filename == "two-sleeps.py"
    there.locator("input[type=file]").set_input_files(download.value.path())
    assert "# not kept" in there.locator(".cm-content").inner_text()


def test_changed_programs_persist_and_their_button_says_so(page: OpenPage) -> None:
    part = _part(page, "programs")
    part.locator(".cm-content:visible").fill("# mine\n")
    part.page.reload()
    names = part.page.locator(".live-open").all_inner_texts()
    assert names == ["Go on with your changed programs", "Solve it in this page"]


def test_without_webassembly_the_page_says_so(page: OpenPage) -> None:
    shown = page(_LESSON)
    shown.evaluate("delete window.WebAssembly")
    shown.locator(".live-open").first.click()
    shown.get_by_text("This browser has no WebAssembly").first.wait_for()


def test_an_exercise_fails_with_its_sentence_and_passes(page: OpenPage) -> None:
    part = _part(page, "exercise")
    _press(part, "Check")
    sentence = "6 brews should be at work at the same time; there was never more than 1."
    part.get_by_text(f"Not yet: {sentence}", exact=True).wait_for(timeout=_LONG_MS)
    assert part.get_by_text(sentence).count() == 1
    for _ in range(2):
        _press(part, "Hint")
    assert "time.sleep" in part.locator("details[open] code").all_inner_texts()  # not its Markdown
    part.locator(".cm-content").fill(_SOLUTION.read_text(encoding="utf-8"))
    _press(part, "Check")
    part.get_by_text("Passed.", exact=True).wait_for(timeout=_LONG_MS)
    assert not part.get_by_text("hint: ").count()
    part.get_by_role("link", name="Next: 2. Nothing ran").click()
    part.page.wait_for_url("**/nothing-ran.html")


def test_from_a_file_the_page_says_what_to_do(page: OpenPage) -> None:
    shown = page(_LESSON, address=f"{SITE.as_uri()}/")
    shown.locator(".live-open").first.click()
    shown.locator(".live-status").first.filter(has_text="asyncdemo docs").wait_for()
