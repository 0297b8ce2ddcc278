"""The editor of the pages: CodeMirror's modules as published, which import each other as files.

A bundler would make one file of them, but would be one more thing to install. Each begins with its license. A
page loads them with its first editor.
Not here: the editor's configuration (see ``docs/assets/editor.mjs``).
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from asyncdemo.site.npm import file_stem

_IMPORT: Final = re.compile(
    r"""^(import\b[^'"\n]*|export\b[^'"\n]*\bfrom\s*)(['"])([^'"]+)\2""", re.MULTILINE
)


def editor_files(packages: Mapping[str, Path]) -> dict[str, bytes]:
    """Return files by name from ``packages`` (name -> archive). Raises ValueError if an import is missing."""
    return {f"{file_stem(name)}.mjs": _module(name, archive, packages) for name, archive in packages.items()}


def _module(name: str, archive: Path, packages: Mapping[str, Path]) -> bytes:
    with tarfile.open(archive) as opened:
        about = json.load(_member(opened, "package/package.json"))
        path = about["exports"]["import"].removeprefix("./")
        text = _member(opened, f"package/{path}").read().decode()
        license_text = _member(opened, "package/LICENSE").read().decode()

    def by_file(found: re.Match[str]) -> str:
        begin, quote, imported = found.groups()
        if imported not in packages:
            raise ValueError(f"{name} imports {imported}, which is not pinned")
        return f"{begin}{quote}./{file_stem(imported)}.mjs{quote}"

    return f"/*!\n{license_text}*/\n{_IMPORT.sub(by_file, text)}".encode()


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    member = archive.extractfile(name)
    assert member is not None
    return member
