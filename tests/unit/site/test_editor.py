"""The editor's modules name each other by files, and nothing that is not there."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from asyncdemo.site.editor import editor_files


def package(folder: Path, name: str, text: str) -> Path:
    archive = folder / f"{name.replace('/', '-')}.tgz"
    about = json.dumps({"exports": {"import": "./dist/index.js"}})
    with tarfile.open(archive, "w:gz") as opened:
        for path, content in (("package.json", about), ("LICENSE", "Free.\n"), ("dist/index.js", text)):
            member = tarfile.TarInfo(f"package/{path}")
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content.encode()))
    return archive


def test_imports_become_files(tmp_path: Path) -> None:
    view = "import { a, b } from '@x/state';\nexport { c } from \"crelt\";\nconst from = 'crelt';\n"
    packages = {
        "@x/view": package(tmp_path, "@x/view", view),
        "@x/state": package(tmp_path, "@x/state", "export const a = 1;"),
        "crelt": package(tmp_path, "crelt", ""),
    }
    files = editor_files(packages)
    assert set(files) == {"x-view.mjs", "x-state.mjs", "crelt.mjs"}
    assert files["x-view.mjs"].decode() == (
        "/*!\nFree.\n*/\n"
        "import { a, b } from './x-state.mjs';\nexport { c } from \"./crelt.mjs\";\nconst from = 'crelt';\n"
    )


def test_what_is_not_pinned_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a imports b, which is not pinned"):
        editor_files({"a": package(tmp_path, "a", "import 'b';")})
