"""What a page loads: the packages that are pinned and no others, and all that our part of it imports."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.errors import MissingError
from asyncdemo.site.page_python import editor_files, fetch_package, packed_python

_LESSON = Path(__file__).parents[3] / "lessons/01-loop/01-two-sleeps"


def _pin(folder: Path, content: bytes) -> Path:
    digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
    pinned = folder / "page.toml"
    pinned.write_text(f'[pyodide]\nversion = "1.2.3"\nintegrity = "sha512-{digest}"\n')
    return pinned


def test_what_was_fetched_before_is_taken_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    package = tmp_path / "pyodide-1.2.3.tgz"
    package.write_bytes(b"as published")
    assert fetch_package("pyodide", _pin(tmp_path, b"as published"), tmp_path) == package


def test_another_package_than_the_pinned_one_is_removed(tmp_path: Path) -> None:
    package = tmp_path / "pyodide-1.2.3.tgz"
    package.write_bytes(b"something else")
    with pytest.raises(MissingError, match="not what"):
        fetch_package("pyodide", _pin(tmp_path, b"as published"), tmp_path)
    assert not package.exists()


def test_without_npm_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingError, match="fetched by npm, which is not installed"):
        fetch_package("pyodide", _pin(tmp_path, b""), tmp_path)


def test_pack_has_all_imported_modules_and_is_reproducible(tmp_path: Path) -> None:
    lessons = [load_lesson(_LESSON)]
    data = packed_python(lessons, lambda file: file.parent.name != "wrong")
    assert data == packed_python(lessons, lambda file: file.parent.name != "wrong")
    with ZipFile(io.BytesIO(data)) as packed:
        assert "lessons/01-two-sleeps/solution.py" in packed.namelist()
        assert not [name for name in packed.namelist() if "/wrong/" in name]
        packed.extractall(tmp_path)
    # With no packages but those in it: -S leaves out the environment's own.
    command = [sys.executable, "-S", "-c", "import asyncdemo.in_page.page as page; print(page.__file__)"]
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(tmp_path)}
    )
    assert ended.stdout.strip() == str(tmp_path / "asyncdemo/in_page/page.py"), ended.stderr


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
