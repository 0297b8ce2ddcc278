"""Packages from npm's registry for the pages: fetched once, and verified by their hashes.

Not here: what is used from them (see ``pyodide``, ``editor``).
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Final

from asyncdemo.errors import MissingError

PINNED: Final = Path("requirements/page.toml")
FOLDER: Final = Path(".cache/site/npm")
"""Downloads, in the checkout."""
_FETCH_S: Final = 300.0


def pinned(file: Path = PINNED) -> dict[str, dict[str, str]]:
    """Return each package's version and integrity, in npm's terms."""
    return tomllib.loads(file.read_text("utf-8"))


def file_stem(package: str) -> str:
    """Return "codemirror-view" for "@codemirror/view", as npm names the archive."""
    return package.removeprefix("@").replace("/", "-")


def fetched(name: str, file: Path = PINNED, folder: Path = FOLDER) -> Path:
    """Return a package, as published. Raises MissingError if it is unavailable or differs."""
    wanted = pinned(file)[name]
    package = folder / f"{file_stem(name)}-{wanted['version']}.tgz"
    if not package.is_file():
        _fetch(f"{name}@{wanted['version']}", folder)
    if not package.is_file():
        raise MissingError(f"npm did not write {package}.")
    digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != wanted["integrity"]:
        package.unlink()
        raise MissingError(f"{package} was not what {file} names, and is removed.")
    return package


def _fetch(what: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError(f"{what} is fetched by npm, which is not installed.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(
            [npm, "pack", "--silent", "--pack-destination", str(folder), what],
            check=True,
            capture_output=True,
            timeout=_FETCH_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise MissingError(f"{what} could not be fetched by npm: {error}") from None
