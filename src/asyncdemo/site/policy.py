"""The content security policy of each page: what it may load and run, none of it from another host.

It is in the page, so that it holds on any host. Inline scripts are the theme's, and identified by their
digests. Not here: what the pages load (see ``mkdocs.yml``), or a server's part (see ``cli.docs``).
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Final

_FIRST: Final = '<meta charset="utf-8">'
_NAMED: Final = '<meta http-equiv="Content-Security-Policy"'
_INLINE: Final = re.compile(r"<script>(.+?)</script>", re.DOTALL)
"""A script with a type holds data, one with any other attribute is a file."""


def write_policies(site: Path) -> None:
    """Write it into the head of each page. Raises ValueError if one has no place for it."""
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
