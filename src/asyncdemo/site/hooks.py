"""MkDocs' hooks: what a fence shows is rendered once, and kept until one of its sources changes.

What the search need not know is put into its page last, or Markdown, the check of anchors and the search
index would each read through every picture.
"""

from __future__ import annotations

import re
from typing import Any, Final

from asyncdemo.site.fence import Formatter
from asyncdemo.site.kept import kept

_PLACE: Final = re.compile(r'<div data-search-exclude data-later="(\d+)"></div>')
_later: Final[list[str]] = []


def on_config(config: Any) -> Any:
    for fence in config.mdx_configs["pymdownx.superfences"]["custom_fences"]:
        fence["format"] = _once(fence["name"], fence["format"])
    return config


def on_post_page(output: str, **_: object) -> str:
    return _PLACE.sub(lambda found: _later[int(found[1])], output)


def _once(name: str, make: Formatter) -> Formatter:
    def shown(source: str, *_: object, **__: object) -> str:
        rendered = kept(f"{name} {source}", lambda: make(source).encode()).decode()
        if "data-search-exclude" not in rendered.partition(">")[0]:
            return rendered
        _later.append(rendered)
        return f'<div data-search-exclude data-later="{len(_later) - 1}"></div>'

    return shown
