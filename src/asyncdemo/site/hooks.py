"""MkDocs' hooks: what a fence shows is rendered once, and kept until something that it is made from changes.

What the search need not know is put into its page last, or Markdown, the check of anchors and the search
index would each read through every picture.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from asyncdemo.packages import CHECKOUT
from asyncdemo.site import gallery
from asyncdemo.site.fence import Formatter
from asyncdemo.site.recordings import FOLDER as RUNS
from asyncdemo.site.recordings import files_of

_FOLDER: Final = Path(".cache/site/rendered")
_MADE_FROM: Final = (
    Path(__file__).resolve().parents[1],
    CHECKOUT / "requirements" / "dev.txt",
    Path("lessons"),
    RUNS,
    gallery.FOLDER,
)
_RECORDS: Final = Path("docs/measure/records")
"""Only the compressed ones: the others are made from them."""
_PLACE: Final = re.compile(r'<div data-search-exclude data-later="(\d+)"></div>')
_later: Final[list[str]] = []


def on_config(config: Any) -> Any:
    _add_mistakes(config["nav"])
    for fence in config.mdx_configs["pymdownx.superfences"]["custom_fences"]:
        fence["format"] = _once(fence["name"], fence["format"])
    return config


def _add_mistakes(nav: Any) -> None:
    """Add the page of each mistake after the page that lists them."""
    first = gallery.FOLDER.relative_to("docs") / "index.md"
    if isinstance(nav, list):
        if first.as_posix() in nav:
            nav += [{title: page.relative_to("docs").as_posix()} for title, page in gallery.pages()]
        for part in nav:
            _add_mistakes(part)
    elif isinstance(nav, dict):
        for part in nav.values():
            _add_mistakes(part)


def on_post_page(output: str, **_: object) -> str:
    return _PLACE.sub(lambda found: _later[int(found[1])], output)


def _once(name: str, make: Formatter) -> Formatter:
    def shown(source: str, *_: object, **__: object) -> str:
        rendered = cached(f"{name} {source}", lambda: make(source).encode()).decode()
        if "data-search-exclude" not in rendered.partition(">")[0]:
            return rendered
        _later.append(rendered)
        return f'<div data-search-exclude data-later="{len(_later) - 1}"></div>'

    return shown


def cached(what: str, make: Callable[[], bytes]) -> bytes:
    """Return what ``make`` makes, or made before under this name."""
    file = _folder() / hashlib.sha256(what.encode()).hexdigest()
    if not file.is_file():
        data = make()
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(data)
        unfinished.replace(file)
    return file.read_bytes()


@cache
def _folder() -> Path:
    """Return the folder of all that was made from the files as they are; what is older goes."""
    digest = hashlib.sha256(f"{sys.version} {os.environ.get('REPO_URL', '')}".encode())
    for part in (*_MADE_FROM, *sorted(_RECORDS.glob("*.gz"))):
        for path in files_of(part):
            digest.update(f"{path.as_posix()}\n".encode())
            digest.update(path.read_bytes())
    folder = _FOLDER / digest.hexdigest()
    for old in _FOLDER.glob("*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
