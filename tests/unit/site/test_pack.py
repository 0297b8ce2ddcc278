"""The built site in one file: the same for the same site, and with what a page from the disk may load."""

from __future__ import annotations

import json
import os
from pathlib import Path
from zipfile import ZipFile

import pytest

from asyncdemo.errors import MissingError
from asyncdemo.site.pack import pack

INDEX = {"docs": [{"title": "Two sleeps", "text": "\u2028 </script> \u00e9"}]}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name in ("search", "assets", "lessons"):
        (folder / name).mkdir(parents=True)
    (folder / "index.html").write_text("start")
    (folder / "lessons" / "two-sleeps.html").write_text("two sleeps")
    (folder / "assets" / "theme.js.map").write_text("{}")
    (folder / "sitemap.xml").write_text("<day>2026-11-21</day>")
    (folder / "search" / "search_index.json").write_text(json.dumps(INDEX), encoding="utf-8")
    return folder


def test_it_unpacks_to_one_folder_with_the_site(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "dist" / "docs.zip"
    pack(site, archive)
    with ZipFile(archive) as packed:
        assert packed.namelist() == [
            "asyncdemo-docs/index.html",
            "asyncdemo-docs/lessons/two-sleeps.html",
            "asyncdemo-docs/search/search_index.js",
            "asyncdemo-docs/search/search_index.json",
        ]
        assert packed.read("asyncdemo-docs/lessons/two-sleeps.html") == b"two sleeps"


def test_a_sitemap_stays_if_the_site_has_an_address(site: Path, tmp_path: Path) -> None:
    (site / "sitemap.xml").write_text("<loc>https://tea.example/index.html</loc>")
    pack(site, tmp_path / "docs.zip")
    assert (site / "sitemap.xml").is_file()


def test_it_is_the_same_file_for_the_same_site(site: Path, tmp_path: Path) -> None:
    pack(site, tmp_path / "first.zip")
    for path in site.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    pack(site, tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


def test_the_index_is_a_script_too(site: Path, tmp_path: Path) -> None:
    pack(site, tmp_path / "docs.zip")
    script = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert json.loads(script.removeprefix("var __index = ")) == INDEX


def test_without_a_built_site_the_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="make docs"):
        pack(tmp_path, tmp_path / "docs.zip")
    assert not (tmp_path / "docs.zip").exists()
