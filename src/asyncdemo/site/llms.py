"""``llms.txt``: the pages of the site, one per line, for programs that read it (llmstxt.org).

Addresses are absolute if the site was built for one (``SITE_URL``), else relative to the site.
Not here: the order of the pages, which comes from the navigation (see ``mkdocs.yml``).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from mkdocs.config import load_config

_TITLE: Final = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_SAID: Final = re.compile(r'<meta name="description" content="([^"]*)">')


def write_llms(site: Path, config_file: str = "mkdocs.yml") -> None:
    """Write the file into the built site."""
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
