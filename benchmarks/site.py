"""The docs site: how long it takes to build, and how much a reader of a lesson has to load."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from asyncdemo.cli.docs import BuiltSiteServer
from benchmarks.processes import PYTHON, ROOT, environment
from benchmarks.summary import Summary
from benchmarks.table import Row, Target

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Response

BUDGET_BYTES = 150_000
"""Of a lesson's page, with everything that it loads, gzipped."""
_LIMIT_S = 900.0
_STEPS = (
    (PYTHON, "-m", "asyncdemo.site", "prepare"),
    (PYTHON, "-m", "mkdocs", "build", "--strict"),
    (PYTHON, "-m", "asyncdemo.site", "pack"),
)
"""What `make docs` does."""


def measure_site(folder: Path, rounds: int, build: bool = True) -> list[Row]:
    """In a copy of the checkout, which has no recordings yet. build: else one page is weighed, if any."""
    if not build:
        pages = lesson_pages(ROOT / "site")[:1] if _can_weigh() else []
        return _weight(ROOT / "site", pages) if pages else []
    checkout = folder / "checkout"
    _copy(checkout)
    first_s = _built_s(checkout)
    again_s = [_built_s(checkout) for _ in range(rounds)]
    rows = [
        Row("building the site, every lesson recorded again", Summary.of([first_s]), _seconds, Target(180)),
        Row("... when nothing has changed", Summary.of(again_s), _seconds, Target(15)),
    ]
    if _can_weigh():
        rows += _weight(checkout / "site", lesson_pages(checkout / "site"))
        rows += _python(checkout / "site", rounds)
    else:
        print("  no Chromium, or no Playwright to drive it: no page is weighed", file=sys.stderr)
    return rows


def _copy(checkout: Path) -> None:
    """What git knows of, as it is now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)


def _built_s(checkout: Path) -> float:
    variables = environment(PYTHONPATH=str(checkout / "src"), NO_MKDOCS_2_WARNING="1")
    start_s = time.perf_counter()
    for step in _STEPS:
        ended = subprocess.run(
            step, cwd=checkout, env=variables, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
        if ended.returncode != 0:
            raise RuntimeError(f"{' '.join(step)} failed:\n{ended.stdout}{ended.stderr}")
    return time.perf_counter() - start_s


def _weight(site: Path, pages: Sequence[str]) -> list[Row]:
    from playwright.sync_api import sync_playwright

    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=chromium_arguments())
        weights = [sum(loaded(browser, address + name).values()) for name in pages]
        browser.close()
    heaviest = Summary.of([max(weights)])
    return [
        Row("the heaviest lesson's page, with all that it loads", heaviest, _kilobytes, Target(BUDGET_BYTES)),
        Row(f"... of all {len(weights)} pages", Summary.of(weights), _kilobytes),
    ]


def _python(site: Path, rounds: int) -> list[Row]:
    """Of the first lesson, in its page; nothing if the site was built without Python for it."""
    from playwright.sync_api import sync_playwright

    if not (site / "lessons/assets/python/worker.mjs").is_file():
        return []
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=chromium_arguments())
        cold, warm, checked = zip(*(_run_s(browser, address) for _ in range(rounds)), strict=True)
        browser.close()
    return [
        Row("Python in a page, loaded: the first picture", Summary.of(cold), _seconds, Target(8)),
        Row("... Run pressed again, to the picture", Summary.of(warm), _seconds, Target(1)),
        Row("... Check pressed, to the verdict", Summary.of(checked), _seconds, Target(1)),
    ]


def _run_s(browser: Browser, address: str) -> tuple[float, float, float]:
    """Cold, by a reader who has been nowhere yet; warm; and Check. In seconds."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(_LIMIT_S * 1000)
    page.goto(f"{address}lessons/two-sleeps.html", wait_until="networkidle")
    programs, exercise = (page.locator(f".live[data-part={part}]") for part in ("programs", "exercise"))

    def took_s(part: Locator, button: str, until: str) -> float:
        start_s = time.perf_counter()
        part.get_by_role("button", name=button, exact=True).click()
        part.locator(until).wait_for()
        return time.perf_counter() - start_s

    start_s = time.perf_counter()
    programs.locator(".live-open").click()
    programs.locator(".cm-content").first.wait_for()
    took_s(programs, "Run", "async-timeline")
    cold_s = time.perf_counter() - start_s
    programs.get_by_role("button", name="Reset", exact=True).click()  # which takes the picture away
    warm_s = took_s(programs, "Run", "async-timeline")
    exercise.locator(".live-open").click()
    exercise.locator(".cm-content").wait_for()
    checked_s = took_s(exercise, "Check", ".live-failed")
    context.close()
    return cold_s, warm_s, checked_s


def lesson_pages(site: Path) -> list[str]:
    """Within the site; without the list of lessons and the notes."""
    names = sorted(page.name for page in (site / "lessons").glob("*.html"))
    return [f"lessons/{name}" for name in names if name not in ("index.html", "instructors.html")]


def loaded(browser: Browser, url: str) -> dict[str, int]:
    """Everything that is loaded for a page, by a reader who has been nowhere yet -> its bytes, gzipped."""
    context = browser.new_context()
    page = context.new_page()
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108 (no builtin may be a handler)
    page.goto(url, wait_until="networkidle")
    sizes = {one.url: len(gzip.compress(one.body(), mtime=0)) for one in responses if one.ok}
    context.close()
    return sizes


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Its address, with a slash at the end."""
    with BuiltSiteServer(site, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()


def _can_weigh() -> bool:
    return chromium() is not None and find_spec("playwright") is not None


def chromium() -> str | None:
    """The browser that scripts/chromium.sh finds or installs; a whole one, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def chromium_arguments() -> list[str]:
    """Chromium has no sandbox for root."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def _seconds(figure: float) -> str:
    return f"{figure:.1f} s"


def _kilobytes(figure: float) -> str:
    return f"{figure / 1000:.0f} kB"
