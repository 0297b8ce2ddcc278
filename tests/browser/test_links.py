"""Every link of the built site leads somewhere: pages, the places in them, what they load, downloads.

So do those of the README and CONTRIBUTING. No browser is needed, and no other host is asked.
"""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.browser.built import SITE, pages

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
TEXTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


class Places(HTMLParser):
    """What a page leads to or loads, and the places in it that can be led to."""

    def __init__(self) -> None:
        super().__init__()
        self.leads: set[str] = set()
        self.ids: set[str] = set()
        self.repeated: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        if "id" in values:
            (self.repeated if values["id"] in self.ids else self.ids).add(values["id"])
        if tag == "a" and "name" in values:
            self.ids.add(values["name"])
        self.leads |= {values[name] for name in ("href", "src", "data", "poster") if name in values}


@cache
def places(page: Path) -> Places:
    found = Places()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def broken(page: Path, link: str) -> bool:
    """Of a page in the site: a file that is not there, or a place in one that is."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(SITE.resolve()):
        return True
    return (
        bool(parts.fragment) and target.suffix == ".html" and not has_place(target, unquote(parts.fragment))
    )


def has_place(page: Path, name: str) -> bool:
    # `__...` are places that the theme's own script makes or knows
    return name.startswith("__") or name in places(page).ids


def test_every_link_of_every_page_leads_somewhere() -> None:
    found = []
    for name in pages():
        page = (SITE / name).resolve()
        # Of a page that is not there, a server shows 404.html under any address: its links begin at the top.
        links = {link.removeprefix("/") if name == "404.html" else link for link in places(page).leads}
        found += [(name, link) for link in sorted(links) if broken(page, link)]
    assert found == []


def test_no_two_places_of_a_page_have_the_same_name() -> None:
    assert [
        (name, repeated) for name in pages() if (repeated := places((SITE / name).resolve()).repeated)
    ] == []


def test_page_has_no_foreign_resources_or_unencrypted_links() -> None:
    for name in pages():
        text = (SITE / name).read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=[\"']?([^\"' >]+)", text)
        loaded += re.findall(
            r"<link\b(?![^>]*rel=[\"']?(?:canonical|next|prev))[^>]*\bhref=[\"']?([^\"' >]+)", text
        )
        assert [url for url in loaded if re.match(r"(https?:)?//", url)] == [], name
        plain = [link for link in places((SITE / name).resolve()).leads if link.startswith("http://")]
        assert [link for link in plain if "://127.0.0.1" not in link and "://localhost" not in link] == [], (
            name
        )


def test_no_style_sheet_loads_from_another_host() -> None:
    sheets = sorted(SITE.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        urls = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s]+)", sheet.read_text(encoding="utf-8"))
        assert [url for url in urls if re.match(r"(https?:)?//", url)] == [], sheet
        local = [url for url in urls if not url.startswith(("data:", "#"))]
        assert [url for url in local if not (sheet.parent / urlsplit(url).path).is_file()] == [], sheet


def anchors(text: str) -> set[str]:
    """Of a Markdown file, as the places where such files are read name its headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_of_a_text_beside_the_site_leads_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    code_out = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", code_out):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = ROOT / parts.path if parts.path else ROOT / name
        assert target.exists(), link
        if parts.fragment and target.suffix == ".md":
            assert parts.fragment in anchors(target.read_text(encoding="utf-8")), link
