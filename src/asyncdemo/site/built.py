"""What is done to the built site: each page's policy, ``llms.txt``, and one file of it, to take along."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from mkdocs.config import load_config

from asyncdemo.errors import MissingError
from asyncdemo.site.page_python import write_zip

SITE: Final = Path("site")
ARCHIVE: Final = Path("dist/asyncdemo-docs.zip")
_FOLDER: Final = "asyncdemo-docs"
"""The folder in the archive."""
_STAYS: Final = ("*.map", "sitemap.xml.gz")
"""Not packed: for debugging the theme's scripts, and a copy that contains the build time."""
_FIRST: Final = '<meta charset="utf-8">'
_NAMED: Final = '<meta http-equiv="Content-Security-Policy"'
_INLINE: Final = re.compile(r"<script>(.+?)</script>", re.DOTALL)
"""A script with a type holds data, one with any other attribute is a file."""
_TITLE: Final = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_SAID: Final = re.compile(r'<meta name="description" content="([^"]*)">')


def write_policies(site: Path) -> None:
    """Write into the head of each page what it may load and run: nothing of another host, on any host.

    Inline scripts are the theme's, and identified by their digests. Raises ValueError if a page has no place
    for it.
    """
    for file in site.rglob("*.html"):
        page = file.read_text(encoding="utf-8")
        if page.count(_FIRST) != 1:
            raise ValueError(f"{file} should have one {_FIRST}, behind which its policy would stand.")
        if _NAMED not in page:  # otherwise, it was written before
            file.write_text(page.replace(_FIRST, _FIRST + _meta(page)), encoding="utf-8")


def _meta(page: str) -> str:
    digests = sorted({_digest(script) for script in _INLINE.findall(page)})
    policy = {
        "default-src": "'self'",
        # Python in a page is WebAssembly.
        "script-src": " ".join(["'self'", "'wasm-unsafe-eval'", *digests]),
        # Pictures and tables have colours and widths in attributes.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    content = "; ".join(f"{name} {value}" for name, value in policy.items())
    return f'{_NAMED} content="{content}">'


def _digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def write_llms(site: Path, config_file: str = "mkdocs.yml") -> None:
    """Write the pages of the site, one per line, for programs that read it (llmstxt.org).

    Addresses are absolute if the site was built for one (``SITE_URL``), else relative to the site.
    """
    config = load_config(config_file)
    lines = [f"# {config.site_name}", "", f"> {config.site_description}"]
    for section in config.nav or []:
        ((title, pages),) = section.items()
        lines += ["", f"## {title}", ""]
        for source in _pages(pages):
            name = str(Path(source).with_suffix(".html"))
            page_title, said = _words((site / name).read_text(encoding="utf-8"))
            about = f": {said}" if said != config.site_description else ""
            own = page_title.removesuffix(f" - {config.site_name}")
            lines.append(f"- [{own}]({urljoin(config.site_url or '', name)}){about}")
    (site / "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _pages(entry: Any) -> Iterator[str]:
    """Yield the sources below an entry of the navigation."""
    if isinstance(entry, str):
        yield entry
        return
    for below in entry.values() if isinstance(entry, dict) else entry:
        yield from _pages(below)


def _words(page: str) -> tuple[str, ...]:
    """Return the page's title and description; MkDocs uses the site's if the page has none."""
    return tuple(
        html.unescape(found[1]) if found else "" for found in (_TITLE.search(page), _SAID.search(page))
    )


def pack(site: Path = SITE, archive: Path = ARCHIVE) -> None:
    """Remove unneeded files from the site, add what a page from disk needs, and write the archive.

    For the same site, it is the same, bit by bit. Raises MissingError if the site is not built.
    """
    _write_offline_index(site)
    for pattern in _STAYS:
        for file in site.rglob(pattern):
            file.unlink()
    sitemap = site / "sitemap.xml"
    if sitemap.is_file() and "<loc>http" not in sitemap.read_text(encoding="utf-8"):
        sitemap.unlink()  # the site was built without an address
    archive.parent.mkdir(parents=True, exist_ok=True)
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    write_zip(archive, ((f"{_FOLDER}/{name}", files[name].read_bytes()) for name in sorted(files)))


def _write_offline_index(site: Path) -> None:
    """Write the search index also as a script: pages from ``file://`` can load nothing else."""
    index = site / "search" / "search_index.json"
    if not index.is_file():
        raise MissingError(f"There is no built site in {site}: make docs")
    data = index.read_text(encoding="utf-8")
    index.with_suffix(".js").write_text(f"var __index = {data}", encoding="utf-8")
