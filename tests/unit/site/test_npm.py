"""What the pages carry of npm's registry: the packages that are pinned and no others."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from asyncdemo.errors import MissingError
from asyncdemo.site.npm import fetched


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
    assert fetched("pyodide", _pin(tmp_path, b"as published"), tmp_path) == package


def test_another_package_than_the_pinned_one_is_removed(tmp_path: Path) -> None:
    package = tmp_path / "pyodide-1.2.3.tgz"
    package.write_bytes(b"something else")
    with pytest.raises(MissingError, match="not what"):
        fetched("pyodide", _pin(tmp_path, b"as published"), tmp_path)
    assert not package.exists()


def test_without_npm_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingError, match="fetched by npm, which is not installed"):
        fetched("pyodide", _pin(tmp_path, b""), tmp_path)
