"""The built site, served on the loopback, and a browser that looks at it.

Playwright is imported where it is used: `make test` collects this folder too, and has no browser.
Not for: what a page says (tests/unit/site).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from benchmarks.site import chromium, chromium_arguments, served

from tests.browser.built import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page


class OpenPage:
    """Opens pages of the site. No other host is found, and a request to one is a complaint."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.address = address
        self.complaints: list[str] = []
        """What the browser said against the pages: errors, files that are missing, other hosts."""
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def __call__(
        self,
        path: str,
        *,
        scheme: str = "light",
        width: int = 1280,
        height: int = 900,
        js: bool = True,
        still: bool = False,
        address: str | None = None,
    ) -> Page:
        """In its own window, when all of it has loaded.

        path: within the site, like ``lessons/two-sleeps.html``. scheme: ``light`` or ``dark``, which is what
        the reader's system asks for. still: who reads wants no motion. address: of another folder or
        server, with a slash at its end.
        """
        base = self.address if address is None else address
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=js,
            reduced_motion="reduce" if still else "no-preference",
        )
        self._contexts.append(context)
        # Not by a route: then every request would go through this process, and nothing would be cached.
        context.on("request", lambda request: self._hold_to(base, request.url))
        page = context.new_page()
        page.on("console", lambda message: self._listen(path, message))
        page.on("pageerror", lambda error: self.complaints.append(f"{path}: {error}"))
        page.goto(base + path, wait_until="load")
        return page

    def _listen(self, path: str, message: ConsoleMessage) -> None:
        if message.location["url"].endswith("/favicon.ico"):
            return  # a browser looks there by itself if a page names no icon, as an exported one
        if message.type in ("error", "warning"):
            self.complaints.append(f"{path}: {message.text}: {message.location['url']}")

    def _hold_to(self, base: str, url: str) -> None:
        if not url.startswith((base, "data:", "blob:")):
            self.complaints.append(f"asked another host: {url}")

    def close(self) -> None:
        # Only its own: a module's window stays open while the next test closes this one's.
        for context in self._contexts:
            context.close()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site, with a slash at its end."""
    if not (SITE / "index.html").is_file():
        pytest.fail("There is no site to look at: make docs", pytrace=False)
    with served(SITE) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    # Without windows it needs two thirds of the time. Figures are measured in a whole browser (benchmarks).
    program = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or chromium()
    if program is None:
        pytest.fail("There is no Chromium here: scripts/chromium.sh says how to get it", pytrace=False)
    with sync_playwright() as playwright:
        arguments = [*chromium_arguments(), "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(site: str, browser: Browser) -> Iterator[OpenPage]:
    """Call it with a path. Afterwards no page may have complained; who expects that clears ``complaints``."""
    opened = OpenPage(browser, site)
    yield opened
    opened.close()
    assert not opened.complaints


@pytest.fixture(scope="session")
def violations() -> Callable[..., list[str]]:
    """(page, *rules) -> what axe-core calls serious or critical, one line each, and the first places.

    Without rules it looks for all that it knows.
    """
    from axe_playwright_python.sync_playwright import Axe

    def seen(page: Page, *rules: str) -> list[str]:
        options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        return [
            f"{found['id']}: {found['help']}: {[node['target'] for node in found['nodes'][:3]]}"
            for found in Axe().run(page, options=options).response["violations"]
            if found["impact"] in ("serious", "critical")
        ]

    return seen
